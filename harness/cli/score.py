"""``harness score``: what another system's run is worth by our metrics."""

import argparse
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from harness.cli.exchange_options import CUTOFFS
from harness.cli.output import emit
from harness.dataset.exchange.trec import read_qrels, read_run
from harness.dataset.longmemeval.stream import open_data
from harness.errors import ExitCode
from harness.measure.foreign import RunScore, score_run
from harness.report.layout import heading, number, say, shown, table, terminal

NAMED = 10
"""How many ids of a kind a person is shown; files and JSON have them all."""

FAMILIES = ("recall", "precision", "hit", "all", "ndcg", "ndcg_linear")


def run(arguments: argparse.Namespace) -> ExitCode:
    """Score a foreign run, and print its means or everything as JSON."""
    cutoffs = tuple(sorted(set(arguments.cutoff or CUTOFFS)))
    ranked = read_run(arguments.ranked)
    found = score_run(read_qrels(arguments.qrels), ranked, cutoffs)
    if arguments.json:
        emit(_score_json(found, ranked.tags, arguments))
    else:
        _print_score(found, ranked.tags, cutoffs)
    return ExitCode.PASSED


def named(ids: Sequence[str]) -> str:
    """Return ids as a person is shown them: the first `NAMED`, and how many more."""
    first = ", ".join(map(repr, ids[:NAMED]))
    more = len(ids) - NAMED
    return f"{first} and {more:,} more" if more > 0 else first


def sha256(path: Path) -> str:
    """Return the lower-case hex SHA-256 of a file's bytes.

    Raises:
        DatasetError: It cannot be read.
    """
    with open_data(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _print_score(found: RunScore, tags: Sequence[str], cutoffs: Sequence[int]) -> None:
    console = terminal()
    heading(
        console,
        ", ".join(tags),
        f"means over {len(found.by_query):,} queries; 1 is best",
    )
    sheet = table(console, [""], [f"@{cutoff}" for cutoff in cutoffs])
    for family in FAMILIES:
        values = [found.metrics[f"{family}@{cutoff}"] for cutoff in cutoffs]
        sheet.add_row(shown(family, console), *map(number, values))
    judged = [found.judged_at[f"judged@{cutoff}"] for cutoff in cutoffs]
    sheet.add_row(shown("judged", console, "dim"), *map(number, judged))
    console.print(sheet)
    say(console, "mrr", number(found.metrics["mrr"]))
    for name, what, ids in (
        ("missing", "queries that the run lacks, which count as 0", found.missing),
        ("left out", "queries of the run that nobody judged", found.unjudged),
        ("left out", "queries without a relevant document", found.irrelevant),
    ):
        if ids:
            say(console, name, f"{what}: {len(ids):,} ({named(ids)})", style="yellow")


def _score_json(
    found: RunScore, tags: Sequence[str], arguments: argparse.Namespace
) -> bytes:
    content = {
        "format": "harness-score",
        "version": 1,
        "tags": list(tags),
        "sha256": {
            "qrels": sha256(arguments.qrels),
            "run": sha256(arguments.ranked),
        },
        "queries": len(found.by_query),
        "metrics": dict(found.metrics) | dict(found.judged_at),
        "missing": list(found.missing),
        "unjudged": list(found.unjudged),
        "irrelevant": list(found.irrelevant),
        "by_query": {query: dict(each) for query, each in found.by_query.items()},
    }
    return f"{json.dumps(content, indent=2, ensure_ascii=False)}\n".encode()
