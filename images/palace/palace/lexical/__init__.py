"""Exact BM25 in the daemon's memory, over words made by one pinned analyser.

Postgres keeps the truth; what lives here is rebuilt from it at every start. Nothing in
this package knows of Postgres, of HTTP or of a drawer: documents are sequence numbers
and lists of terms.
"""

from palace.lexical.analysis import terms
from palace.lexical.index import LexicalIndex, LexicalResult, Match

__all__ = ["LexicalIndex", "LexicalResult", "Match", "terms"]
