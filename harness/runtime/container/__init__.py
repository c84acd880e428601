"""What a run in containers is made of: labels, limits, starting, watching, sweeping."""
