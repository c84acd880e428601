"""A report's rankings and judgments as the files that trec_eval reads.

Each configuration has a pair of files of its own, since it may have been asked other
queries than the next one, or about another corpus. ``trec_eval -c`` of the pair gives
the report's means; without ``-c`` a query that got nothing back is left out.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from harness.dataset.exchange.trec import qrels_lines, run_lines
from harness.errors import ReportFormatError
from harness.report.model import ConfigurationResult, Ranking, Report

LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class TrecPair:
    """One configuration, ready to be written."""

    configuration: str
    stem: str
    """What its two files are called, without ``.qrels`` and ``.run``."""
    qrels: bytes
    run: bytes
    queries: int
    empty: tuple[str, ...]
    """Queries that got nothing back: they have judgments and no line in the run."""
    repeats: int
    """Documents dropped because they stood in their ranking before."""


def trec_pairs(report: Report) -> tuple[list[TrecPair], list[str]]:
    """Return a pair of files a configuration, and why others have none.

    The run's scores count down with the rank: those of the daemon stay in the report.

    Raises:
        ReportFormatError: No configuration has rankings and judgments, naming why.
    """
    pairs: list[TrecPair] = []
    without: list[str] = []
    stems: set[str] = set()
    for result in report.configurations:
        reason = _why_not(result)
        if reason is None:
            pairs.append(_pair(result, _stem(result.name, stems)))
        else:
            without.append(f"{result.name}: {reason}")
    if not pairs:
        raise ReportFormatError(
            "the report has no ranking with its judgments"
            f"{': ' if without else ''}{'; '.join(without)}.",
            remedy="Measure again: reports of this version keep both.",
        )
    return pairs, without


def _why_not(result: ConfigurationResult) -> str | None:
    if result.skip_reason is not None:
        return f"not measured ({result.skip_reason})"
    if not result.rankings:
        return "no rankings"
    lacking = [each.query for each in result.rankings if not each.grades]
    if lacking:
        return f"no judgments of query {lacking[0]!r}"
    return None


def _pair(result: ConfigurationResult, stem: str) -> TrecPair:
    grades = {each.query: each.grades or {} for each in result.rankings}
    rankings = {each.query: _documents(each) for each in result.rankings}
    hits = sum(len(each.hits) for each in result.rankings)
    return TrecPair(
        configuration=result.name,
        stem=stem,
        qrels=_file(qrels_lines(grades)),
        run=_file(run_lines(rankings, result.name)),
        queries=len(rankings),
        empty=tuple(query for query, found in rankings.items() if not found),
        repeats=hits - sum(map(len, rankings.values())),
    )


def _documents(ranking: Ranking) -> list[str]:
    """Name the documents once each, as the metrics see them."""
    return list(dict.fromkeys(hit.document for hit in ranking.hits))


def _file(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _stem(name: str, taken: set[str]) -> str:
    """Name a file after a configuration, the name of which may hold anything."""
    base = re.sub(r"[^A-Za-z0-9._+-]+", "-", name).strip("-.")[:LONGEST_NAME]
    stem = base = base or "configuration"
    number = 1
    while stem.lower() in taken:
        number += 1
        stem = f"{base}-{number}"
    taken.add(stem.lower())
    return stem
