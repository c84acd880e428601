"""``harness sweep``: take out of the engine what killed runs left."""

import argparse
from collections import Counter

from harness.errors import ExitCode
from harness.report.layout import count, listed
from harness.runtime.containers import sweep
from harness.runtime.engine import Engine, EngineError, discover
from harness.runtime.images.store import Store
from harness.runtime.signals import unwinding


def run(arguments: argparse.Namespace) -> ExitCode:
    """Remove what dead sessions own; without an engine there is nothing to remove."""
    try:
        engine = discover()
    except EngineError as error:
        if error.trouble != "absent":
            raise
        print("No container engine answers: nothing to sweep.")
        return ExitCode.PASSED
    with unwinding():
        swept = sweep(engine)
        print(f"Swept: {_counted(swept.removed)}.")
        if swept.kept:
            print(f"Left alone, for their owners may live: {listed(swept.kept)}.")
        if arguments.images:
            print(
                f"Removed {count(_remove_images(engine), 'image')} the harness built."
            )
    return ExitCode.PASSED


def _remove_images(engine: Engine) -> int:
    with Store(engine) as store:
        return store.remove_built()


def _counted(kinds: list[str]) -> str:
    found = Counter(kinds)
    return listed(count(found[kind], kind) for kind in sorted(found)) or "nothing"
