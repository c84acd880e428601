"""The report: one JSON file that keeps what a run measured, and its faces."""
