"""Counts of queries that a file states more than once, and that must agree."""

from collections.abc import Mapping


def check_counts(queries: int, of_category: Mapping[str, int], rankings: int) -> None:
    """Refuse counts of queries that contradict each other.

    Args:
        queries: How many a configuration was asked.
        of_category: How many of them are of each category; empty where not told.
        rankings: How many rankings are stored; 0 where none is kept.

    Raises:
        ValueError: Naming the two fields.
    """
    if rankings and rankings != queries:
        raise ValueError(f"queries is {queries} and rankings has {rankings}")
    total = sum(of_category.values())
    if of_category and total != queries:
        raise ValueError(f"queries is {queries} and those of the categories {total}")
