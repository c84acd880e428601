"""What must be equal before two sets of numbers say anything about the engine."""

from collections.abc import Iterator
from dataclasses import dataclass

from harness.judge.comparable import Comparable, ComparableConfiguration

Value = str | int | bool | tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Difference:
    """Something other than the engine that the two sides do not share."""

    field: str
    base: Value
    new: Value


def differences(base: Comparable, new: Comparable) -> Iterator[Difference]:
    """List why the two do not compare, the data first.

    What only one side's format states is not a difference.
    """
    stated_both = base.dataset_sha256 is not None and new.dataset_sha256 is not None
    if stated_both and base.dataset_sha256 != new.dataset_sha256:
        yield Difference("data set", base.data, new.data)
    pairs: list[tuple[str, Value, Value]] = [
        ("suite", base.suite, new.suite),
        ("tier", base.tier, new.tier),
        ("policies", base.policies, new.policies),
        ("documents seeded", base.documents, new.documents),
        ("limit", base.limit, new.limit),
        ("scale", base.scale, new.scale),
        ("cut-offs", base.cutoffs, new.cutoffs),
        ("gain of ndcg", base.ndcg_gain, new.ndcg_gain),
        ("vectors", base.vectors, new.vectors),
        ("embedding provider", base.embedding_provider, new.embedding_provider),
    ]
    yield from (
        Difference(field, ours, theirs)
        for field, ours, theirs in pairs
        if ours is not None and theirs is not None and ours != theirs
    )
    # A model of null is a statement, but only of a daemon that names its provider.
    stated = base.embedding_provider is not None and new.embedding_provider is not None
    if stated and base.embedding_model != new.embedding_model:
        yield Difference("embedding model", base.embedding_model, new.embedding_model)
    theirs = {configuration.name: configuration for configuration in new.configurations}
    for before in base.configurations:
        if before.name in theirs:
            yield from _configuration(before, theirs[before.name])


def _configuration(
    before: ComparableConfiguration, after: ComparableConfiguration
) -> Iterator[Difference]:
    name = before.name
    ranked = before.ranking is not None and after.ranking is not None
    if ranked and before.ranking != after.ranking:
        yield Difference(f"ranking of {name}", before.ranking, after.ranking)
    if before.expand != after.expand:
        yield Difference(f"expansion of {name}", before.expand, after.expand)
    if before.overall.queries != after.overall.queries:
        yield Difference(
            f"queries of {name}", before.overall.queries, after.overall.queries
        )
    for category in sorted(set(before.categories) & set(after.categories)):
        ours = before.categories[category].queries
        theirs = after.categories[category].queries
        if ours is not None and theirs is not None and ours != theirs:
            yield Difference(f"queries of {name}, {category}", ours, theirs)
    if before.rankings and after.rankings:
        old, new = set(before.rankings), set(after.rankings)
        if old != new:
            yield Difference(
                f"query ids of {name}", _names(old - new), _names(new - old)
            )


def _names(queries: set[str]) -> str:
    listed = ", ".join(sorted(queries)[:5])
    more = f" and {len(queries) - 5} more" if len(queries) > 5 else ""
    return f"only here: {listed or 'none'}{more}"
