"""A deterministic embedding service that can be told to fail, and how.

It serves the harness's stand-in models, or plays back what a real service answered,
over the OpenAI embeddings protocol. What it was asked and what went wrong is counted,
so that a benchmark can prove from outside that a search really asked it.
"""
