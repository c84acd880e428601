"""The judge: what changed between two reports, and whether that may pass.

Nothing here talks to a daemon, reads a clock or prints.
"""
