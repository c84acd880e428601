"""LongMemEval: questions about long chat histories, read one at a time.

A file is never held whole. What is judged, and how, is a declared policy: nothing here
guesses it from an id, but for the mark of abstention, which only the id has.
"""
