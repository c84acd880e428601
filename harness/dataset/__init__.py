"""Judged data sets: what is written into a palace, what is asked, what is relevant.

Nothing in this room talks to a daemon or reads anything but the data file itself.
"""
