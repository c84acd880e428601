"""Measure what a memory daemon finds, how fast, and whether that changed."""

__version__ = "0.1.0"
