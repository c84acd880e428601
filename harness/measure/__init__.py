"""Measure one daemon: seed it, ask it, score and time its answers."""
