"""Faults for the reference daemon, planted in its process and never in its files.

Each is a function without arguments that puts something faulty in a sound thing's
place; its first line says what the daemon then does. Each is one that a change to
retrieval could bring in by mistake. They run in the daemon's environment only.
"""
