"""Reports for faces to show: one of each suite, and one whose every text is hostile."""

from collections.abc import Mapping
from pathlib import Path

from harness.judge.recall.checks import checked
from harness.report.model import (
    Caution,
    ConfigurationResult,
    Discrimination,
    Ranking,
    Report,
    ScoredHit,
)
from tests.builders import (
    a_configuration,
    a_dataset,
    a_distribution,
    a_latency,
    a_report,
    a_violation,
    an_environment,
    some_invariants,
    some_metrics,
)
from tests.haystack_runs import WordEmbedder, a_file, a_palace, a_plan, measured
from tests.haystacks import an_entry
from tests.recall_builders import (
    PUBLISHED,
    a_recall_report,
    an_accepted,
    the_budgets,
    with_row,
)

HOSTILE = (
    "</script><script>window.hurt=1</script>",
    '<img src=x onerror="window.hurt=1">\'`|*_[a](http://example.invalid)',
    "@octocat #1 -->\n\n# heading\x1b[31m\u202egnp.exe\u202c",
    "שלום עולם \u2067abc\u2069 👩\u200d🚀",
)
"""Markup, quotes, Markdown, mentions, control characters, right-to-left and emoji."""


def a_ranked(
    query: str,
    *,
    category: str = "lexical",
    value: float = 0.5,
    hits: tuple[tuple[str, float | None], ...] = (("d1", 2.5), ("d2", 1.25)),
    grades: dict[str, int] | None = None,
    service_ms: tuple[float, ...] = (1.5, 2.5, 2.0),
) -> Ranking:
    """Rank hits with their scores, judged and timed."""
    return Ranking(
        query=query,
        category=category,
        metrics=some_metrics(value),
        hits=tuple(ScoredHit(document=each, score=score) for each, score in hits),
        grades={"d2": 2, "d9": 1} if grades is None else grades,
        service_ms=service_ms,
    )


def an_eval_report(
    *,
    shift: float = 0.0,
    queries: int = 6,
    filler: int = 0,
    changed: Mapping[str, object] | None = None,
) -> Report:
    """Measure three configurations; *shift* moves the hybrid one's every query.

    *changed* are fields of the report itself.
    """
    results: list[ConfigurationResult] = []
    for place, name in enumerate(("lexical", "semantic", "hybrid")):
        moved = shift if name == "hybrid" else 0.0
        rankings = [
            a_ranked(
                f"q{number:02d}",
                category=("north", "south")[number % 2],
                value=0.25 + 0.125 * place + 0.03125 * number + moved,
                service_ms=tuple(1.0 + place + number / 8 + n / 16 for n in range(3)),
            )
            for number in range(queries)
        ]
        values = [ranking.metrics["ndcg@10"] for ranking in rankings]
        means = {
            category: sum(
                each.metrics["ndcg@10"]
                for each in rankings
                if each.category == category
            )
            / max(sum(each.category == category for each in rankings), 1)
            for category in ("north", "south")
        }
        results.append(
            a_configuration(
                name,
                metrics=some_metrics(sum(values) / len(values)),
                by_category={key: some_metrics(value) for key, value in means.items()},
                rankings=rankings,
                latency=a_latency(1.5 + place, samples=3 * queries),
            )
        )
    discrimination = (
        Discrimination(name="told apart by recall@5", left=0.9, right=0.1, passed=True),
    )
    dataset = a_dataset(queries=queries).model_copy(update={"documents": 12 + filler})
    fields = {"dataset": dataset, "discrimination": discrimination}
    return a_report(*results, **{**fields, **(changed or {})})


def a_hostile_report() -> Report:
    """Measure a data set and a daemon whose every name tries to be markup."""
    first, second, third, fourth = HOSTILE
    rankings = [
        a_ranked(
            text,
            category=second,
            value=0.5,
            hits=((text, 1.0), (third, None)),
            grades={text: 2, fourth: 1},
        )
        for text in HOSTILE
    ]
    result = a_configuration(
        by_category={second: some_metrics()},
        rankings=rankings,
        latency=a_latency(),
    ).model_copy(update={"name": first})
    violation = a_violation(second).model_copy(
        update={"configuration": first, "query": third}
    )
    return a_report(
        result,
        dataset=a_dataset(name=second, queries=4),
        environment=an_environment(
            runtime_reason=first, vectors=third, settings={first: second}
        ),
        invariants=some_invariants(violations=[violation]),
        warnings=(Caution(code="hostile", text=first, remedy=third),),
        discrimination=(
            Discrimination(name=fourth, left=0.0, right=1.0, passed=False),
        ),
    )


def a_judged_recall_report() -> Report:
    """Measure a recall tier on which one check fails."""
    report = a_recall_report()
    worse = with_row(
        report,
        "document-hybrid",
        metrics={
            "recall@5": 0.5,
            "ndcg@5": PUBLISHED["document-hybrid"][1],
            "mrr": PUBLISHED["document-hybrid"][2],
        },
        latency=a_latency().model_copy(update={"service": a_distribution(3.0)}),
    )
    return checked(worse, the_budgets(), an_accepted(report))


def a_longmemeval_report(folder: Path) -> Report:
    """Measure two small questions against a fake daemon."""
    path = a_file(folder, an_entry("q1"), an_entry("q2"))
    embedder = WordEmbedder()
    return measured(a_plan(path, embedder=embedder), a_palace(), embedder)
