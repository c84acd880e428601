"""Stand-in vector models, so that the engine is measured and not an embedder."""
