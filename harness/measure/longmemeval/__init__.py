"""LongMemEval runs: one question at a time, and a journal that outlives the process."""
