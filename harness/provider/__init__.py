"""Ask an OpenAI-compatible endpoint for vectors, so that the daemon need not.

The daemon gets the vectors through an external profile. So the key never reaches it,
and what is measured is its retrieval and not its own client of some endpoint.
"""
