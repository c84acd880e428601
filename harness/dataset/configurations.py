"""The retrieval configurations that a data set is asked under."""

from dataclasses import dataclass
from typing import Literal

from harness.dataset.model import Query

GRAPH_CATEGORY = "graph"
"""The one category whose queries are also asked with expansion."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """One way to search: a ranking, and whether the entity graph may add to it."""

    name: str
    """Key of reports and baselines: renaming one orphans its baseline."""
    ranking: Literal["lexical", "semantic", "hybrid"]
    expand: bool


# Expansion is measured on the lexical ranking alone. A vector leg always fills its
# page, so what expansion appends would lie beyond every cut-off.
CONFIGURATIONS = (
    Configuration("lexical", ranking="lexical", expand=False),
    Configuration("semantic", ranking="semantic", expand=False),
    Configuration("hybrid", ranking="hybrid", expand=False),
    Configuration("lexical+expand", ranking="lexical", expand=True),
)


def takes_part(query: Query, configuration: Configuration) -> bool:
    """Tell whether *query* is asked under *configuration*.

    A query that names its configurations is asked under those alone. Any other is
    asked under every one without expansion, and a graph query with expansion too.
    """
    if query.configurations is not None:
        return configuration.name in query.configurations
    return not configuration.expand or query.category == GRAPH_CATEGORY
