"""Print every ratio, or those that are named: ``python -m benchmarks [NAME ...]``."""

import sys
from collections.abc import Callable

from benchmarks.bench import Row
from benchmarks.builds import builds
from benchmarks.overhead import overhead
from benchmarks.search import lexical, semantic
from benchmarks.seeding import seeding
from harness.errors import ExitCode

BENCHMARKS: dict[str, Callable[[], Row]] = {
    "semantic": semantic,
    "lexical": lexical,
    "seeding": seeding,
    "overhead": overhead,
    "builds": builds,
}


def main() -> int:
    """Run the named benchmarks in turn, and print each as it ends."""
    names = sys.argv[1:] or list(BENCHMARKS)
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"No such benchmark: {', '.join(unknown)}. There are: {list(BENCHMARKS)}")
        return ExitCode.USAGE
    for name in names:
        print(BENCHMARKS[name](), flush=True)
    return ExitCode.PASSED


sys.exit(main())
