"""``harness longmemeval`` over several daemons, here or on a cluster."""

import argparse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from harness.cli.embedding import embedding_options
from harness.cli.progress import TerminalProgress, notify, warn
from harness.cli.target import started_wish
from harness.errors import UsageError
from harness.measure.longmemeval.plan import LongMemEvalPlan
from harness.measure.longmemeval.scheduler import connected
from harness.measure.longmemeval.shards import Ask, Spread, ask_here, measure_spread
from harness.provider.counts import Counts
from harness.report.model import Report
from harness.runtime.choice import Wish, choose


def is_spread(arguments: argparse.Namespace) -> bool:
    """Tell whether more than this process is to ask."""
    return arguments.scheduler is not None or (arguments.workers or 1) > 1


def spread(
    arguments: argparse.Namespace,
    plan: LongMemEvalPlan,
    journal: Path,
    settings: Mapping[str, str],
    probed: Counts | None,
) -> Report:
    """Have the questions asked by several workers, each with a daemon of its own.

    Args:
        arguments: Those of ``harness longmemeval``.
        plan: What to measure.
        journal: The run's.
        settings: Variables for every daemon.
        probed: What this process asked of the embeddings endpoint, where there is one.

    Raises:
        UsageError: Options that mean one daemon.
        HarnessError: As `measure_spread`.
    """
    _require_several(arguments)
    wish = started_wish(
        arguments,
        arguments.build or "release",
        postgres=arguments.postgres,
        settings=settings,
    )
    # A worker has another folder to start from.
    plan = replace(plan, path=plan.path.absolute())
    with _asking(arguments, wish) as (ask, workers):
        return measure_spread(
            Spread(
                plan=plan,
                workers=workers,
                wish=wish,
                embedding=embedding_options(arguments),
                cache=arguments.embedding_cache.absolute(),
                probed=probed,
            ),
            journal,
            ask,
            TerminalProgress(),
            warn,
        )


@contextmanager
def _asking(arguments: argparse.Namespace, wish: Wish) -> Iterator[tuple[Ask, int]]:
    if arguments.scheduler is None:
        # Once, before all workers would fetch or build the same images.
        choose(wish, notify=notify, warn=warn)
        yield ask_here, arguments.workers
        return
    with connected(arguments.scheduler) as cluster:
        yield cluster.ask, cluster.workers_for(arguments.workers)


def _require_several(arguments: argparse.Namespace) -> None:
    option = "scheduler" if arguments.scheduler is not None else "workers"
    for other in ("url", "port", "token_file"):
        if getattr(arguments, other) is not None:
            raise UsageError(
                f"--{option} does not go with --{other.replace('_', '-')}.",
                remedy="Every worker starts a daemon of its own.",
            )
