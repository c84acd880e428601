"""LoCoMo: a few long conversations, with many questions about each.

Its questions become those of `harness.dataset.longmemeval.model`: the sessions of a
conversation are the haystack of each of its questions, and gold is the sessions, or
turns, that a question's evidence names.
"""
