"""Documents, facts and questions of the recall tiers, made by code, not read.

The main corpus, its facts and the morphology slice are those of recall-bench, to the
letter: their digests are pinned in the tests. The other slices are ours.
"""
