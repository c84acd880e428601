"""What two daemons that were up at once have shown: relevance, and speed.

Speed is judged here and nowhere else. Latencies that were stored, of another run, host
or build, are shown by other commands and judged by none.
"""
