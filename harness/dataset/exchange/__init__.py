"""Other people's formats: BEIR folders, and TREC's topics, judgments and runs.

What is read here is refused with its file and line, or left out and counted: a public
collection that is odd can still be measured, and nothing of it is lost in silence.
"""
