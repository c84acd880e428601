"""Print every ratio, or those that are named: ``python -m benchmarks [NAME ...]``.

With ``--all`` the benchmark of LongMemEval takes as many questions as S has.
"""

import sys
from collections.abc import Callable, Iterator
from functools import partial

from benchmarks.ab import ab
from benchmarks.ab_simulated import ab_simulated
from benchmarks.bench import Row
from benchmarks.builds import builds
from benchmarks.longmemeval import ALL_QUESTIONS, longmemeval
from benchmarks.overhead import overhead
from benchmarks.provider import provider
from benchmarks.recall import recall
from benchmarks.search import lexical, semantic
from benchmarks.seeding import seeding
from benchmarks.statistics import (
    null_exact,
    null_sampled,
    power,
    resampling,
    scoring,
)
from harness.errors import ExitCode

ALL = "--all"

BENCHMARKS: dict[str, Callable[[], Row | Iterator[object]]] = {
    "semantic": semantic,
    "lexical": lexical,
    "seeding": seeding,
    "overhead": overhead,
    "builds": builds,
    "recall": recall,
    "null-exact": null_exact,
    "null-sampled": null_sampled,
    "power": power,
    "resampling": resampling,
    "scoring": scoring,
    "provider": provider,
    "ab": ab,
    "ab-simulated": ab_simulated,
    "longmemeval": longmemeval,
}


def main() -> int:
    """Run the named benchmarks in turn, and print each as it ends."""
    chosen = dict(BENCHMARKS)
    if ALL in sys.argv:
        chosen["longmemeval"] = partial(longmemeval, ALL_QUESTIONS)
    names = [word for word in sys.argv[1:] if word != ALL] or list(BENCHMARKS)
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"No such benchmark: {', '.join(unknown)}. There are: {list(BENCHMARKS)}")
        return ExitCode.USAGE
    for name in names:
        made = chosen[name]()
        for row in [made] if isinstance(made, Row) else made:
            print(row, flush=True)
    return ExitCode.PASSED


sys.exit(main())
