"""Documents: texts cut into fragments, found by words, by meaning or by both."""
