"""Speed as ratios of two things measured in turn within one run.

Machines are shared and noisy, so no absolute time here is worth keeping; a ratio of two
medians, taken alternately in one process, is. Nothing here judges: it prints each ratio
beside what the project promises.
"""
