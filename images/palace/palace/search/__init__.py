"""Search: one scope, up to two legs, their fusion, and expansion through the graph."""

from palace.search.engine import Answer, Hit, Query, Ranking, search

__all__ = ["Answer", "Hit", "Query", "Ranking", "search"]
