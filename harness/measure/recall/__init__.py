"""Measure one daemon on a recall tier: modes, fail-open, faults and changes."""
