"""Run every mutant, then ten sound daemons: ``python -m tests.mutants [FAULT ...]``.

Ends with 1 where a mutant survives for no listed reason, where one is caught that is
listed as a survivor, and where a gate is red about a sound daemon.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from harness.errors import ExitCode, HarnessError, UsageError
from harness.runtime.signals import unwinding
from tests.mutants.catalogue import Fault, read_faults
from tests.mutants.ledger import NEEDS_AB, SURVIVORS
from tests.mutants.recall_looks import recall_alarm, recall_faults, recall_outcome
from tests.mutants.recall_trial import Mutant, Trial, trial
from tests.mutants.slower import look_at_time
from tests.mutants.stand import Stand
from tests.mutants.table import Outcome, line, markdown, rate, summary
from tests.mutants.trial import Bench, Look, look, read_benches

SOUND_RUNS = 10
JOBS = 2
"""Daemons at a time: each is asked one query after the other, so one leaves half of two
processors idle."""

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class _Chosen:
    """What to plant: in the drawers, and in what is kept of documents."""

    faults: tuple[Fault, ...]
    recall: tuple[Mutant, ...]


@dataclass(frozen=True)
class _Run:
    """What every trial needs."""

    recall: Trial
    benches: dict[str, Bench]
    asks_all: bool

    @property
    def stand(self) -> Stand:
        """What starts the daemons."""
        return self.recall.stand

    def outcome(self, fault: Fault) -> Outcome:
        """Put a mutant before the benches, until one catches it or through all."""
        looks: list[Look] = []
        for bench in self.benches.values():
            caught = any(each.sight for each in looks)
            if caught and (bench.repeats or not self.asks_all):
                break
            looks.append(look(self.stand, fault, bench))
        return Outcome(fault, tuple(looks), SURVIVORS.get(fault.name, ""))

    def timed_outcome(self, fault: Fault) -> Outcome:
        """Put a mutant beside a sound daemon; nothing else may run meanwhile."""
        right = look(self.stand, fault, self.benches["core"])
        timed = look_at_time(self.stand, fault, self.benches["field"])
        return Outcome(fault, (right, timed), SURVIVORS.get(fault.name, ""))

    def sound(self, number: int) -> list[Look]:
        """Put a sound daemon before all benches."""
        del number
        return [look(self.stand, None, bench) for bench in self.benches.values()]


def main() -> int:
    """Run what the command line asks for, and return the exit code."""
    arguments = _arguments()
    try:
        chosen = _chosen(arguments.faults)
        with unwinding(), trial() as started:
            run = _Run(started, read_benches(), asks_all=arguments.all)
            return int(_run(run, chosen, arguments))
    except HarnessError as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        return int(error.exit_code)
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted: what was printed stands, the rest is unknown.\n")
        return int(ExitCode.INTERRUPTED)


def _run(run: _Run, chosen: _Chosen, arguments: argparse.Namespace) -> ExitCode:
    began = time.monotonic()
    outcomes = []
    for outcome in _outcomes(run, chosen, arguments.jobs):
        _say(line(outcome))
        outcomes.append(outcome)
    looks = list(_sound(run, arguments))
    alarms = [each for each in looks if each.sight or each.moved]
    _say("\n".join(["", *summary(outcomes)]))
    _say(f"False alarms: {rate(len(alarms), len(looks))}, on sound daemons.")
    _say(f"Took {time.monotonic() - began:.0f} s.")
    if arguments.markdown is not None:
        arguments.markdown.write_text(f"{markdown(outcomes)}\n", encoding="utf-8")
    good = not alarms and all(outcome.is_as_listed for outcome in outcomes)
    return ExitCode.PASSED if good else ExitCode.GATE_FAILED


def _outcomes(run: _Run, chosen: _Chosen, jobs: int) -> Iterator[Outcome]:
    """Run the mutants: those of the drawers together, and the others one by one.

    Recall mutants share an embedder that may be told to fail, and where time is
    measured nothing else may run.
    """
    right = [fault for fault in chosen.faults if fault.name not in NEEDS_AB]
    yield from _each(run.outcome, right, jobs)
    for mutant in chosen.recall:
        yield recall_outcome(run.recall, mutant)
    for fault in chosen.faults:
        if fault.name in NEEDS_AB:
            yield run.timed_outcome(fault)


def _sound(run: _Run, arguments: argparse.Namespace) -> Iterator[Look]:
    """Run sound daemons; whatever a gate finds there is a false alarm."""
    runs = _each(run.sound, range(arguments.sound), arguments.jobs)
    for number, looks in enumerate(runs, start=1):
        looks.append(recall_alarm(run.recall))
        red = [each for each in looks if each.sight or each.moved]
        _say(f"sound    {number:<42} {'FALSE ALARM' if red else 'green'}")
        for each in red:
            text = each.sight.text if each.sight else f"{each.moved} rankings moved"
            _say(f"         {each.bench}: {text}")
        yield from looks


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _each(work: Callable[[T], R], items: Iterable[T], jobs: int) -> Iterator[R]:
    """Do *work* on each item, *jobs* at a time, and yield what came of it in order."""
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(work, item) for item in items]
        try:
            for future in futures:
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _chosen(names: Sequence[str]) -> _Chosen:
    faults, recall = read_faults(), recall_faults()
    unknown = set(names) - {fault.name for fault in faults} - set(recall)
    if unknown:
        raise UsageError(
            f"there is no fault named {', '.join(sorted(unknown))}.",
            remedy="tests/mutants/faults and recall_mutants.py hold them.",
        )
    return _Chosen(
        tuple(fault for fault in faults if not names or fault.name in names),
        tuple(recall[name] for name in recall if not names or name in names),
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutants",
        description="Plant faults in the daemon, and see which gate turns red.",
    )
    parser.add_argument(
        "faults", nargs="*", metavar="FAULT", help="only these; all by default"
    )
    parser.add_argument(
        "--all", action="store_true", help="ask both data sets of every fault"
    )
    parser.add_argument(
        "--sound", type=int, default=SOUND_RUNS, help="sound daemons to run as well"
    )
    parser.add_argument("--jobs", type=int, default=JOBS, help="daemons at a time")
    parser.add_argument(
        "--markdown", type=Path, metavar="FILE", help="write the outcome as a table"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
