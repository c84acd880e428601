"""Two daemons up at once, asked the same queries in turn.

What slows the machine down for a while then slows both sides down. What sets two runs
of one build apart all the same, the layout of a process in memory for one, is measured
beside it: each round first asks two instances of the base, then base and candidate.
"""
