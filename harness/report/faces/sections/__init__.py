"""The parts of a report's page, one module for what belongs together."""
