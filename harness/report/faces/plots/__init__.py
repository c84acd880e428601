"""Plots as inline SVG, drawn from the report's own numbers.

Colours come from the page's style by class, so that a plot follows the colour scheme.
A series has a colour and a shape; neither alone carries a meaning.
"""
