"""Paired statistics: whether a difference was shown, and how large it is.

Everything rests on per-query differences, paired by query id. Random numbers come from
generators with fixed seeds, so that the same two reports give the same verdict, to the
last digit.
"""
