"""``harness reproduce``: run a stored report again, and hold the two together."""

import argparse
import hashlib
from collections.abc import Iterator
from pathlib import Path

from harness.cli.evaluate import evaluated
from harness.cli.output import emit, refuse_unwritable
from harness.cli.progress import notify
from harness.cli.target import ROOT, live_runtime
from harness.dataset.model import Dataset
from harness.dataset.read import read_dataset
from harness.dataset.vectors.concepts import DESCRIPTION
from harness.errors import ExitCode, UsageError
from harness.judge.machine import reproduction_json
from harness.judge.reproduction import data_changed, reproduction, require_repeatable
from harness.judge.sheets import print_reproduction
from harness.measure.evaluate import EvaluationSettings
from harness.report.model import Report
from harness.report.store import load, save
from harness.runtime.base import Runtime
from harness.runtime.container.pinned import pinned
from harness.runtime.embedded import EmbeddedRuntime, palace_setup
from harness.runtime.palace import Build
from harness.runtime.signals import unwinding

DATASETS = ROOT / "datasets"


def run(arguments: argparse.Namespace) -> ExitCode:
    """Measure again what a report measured, and say whether the same came out."""
    refuse_unwritable(arguments.out, arguments.report, arguments.dataset)
    stored = load(arguments.report)
    _refuse_contradictions(arguments, stored)
    require_repeatable(stored, vectors=DESCRIPTION)
    dataset = same_data(stored, arguments.dataset)
    asked = stored.parameters
    settings = EvaluationSettings(
        repetitions=arguments.repetitions,
        scale=asked.scale,
        limit=asked.limit,
        cutoffs=asked.cutoffs,
        allow_nonempty=arguments.allow_nonempty,
    )
    with unwinding():
        again = evaluated(dataset, _same_runtime(arguments, stored), settings)
    if arguments.out is not None:
        save(again, arguments.out)
    found = reproduction(stored, again)
    if arguments.json:
        emit(reproduction_json(found))
    else:
        print_reproduction(found)
    return found.exit_code


def same_data(stored: Report, given: Path | None, folder: Path = DATASETS) -> Dataset:
    """Find the data that *stored* measured, by the SHA-256 of its bytes.

    Args:
        stored: The report.
        given: The file a person named; only it is looked at.
        folder: Where to look otherwise; a file's name says nothing.

    Raises:
        IncomparableError: There is no such data any more.
        DatasetError: *given* cannot be read.
    """
    wanted = stored.dataset.sha256
    if given is not None:
        dataset = read_dataset(given)
        if dataset.sha256 != wanted:
            raise data_changed(
                stored, f"{str(given)!r} has {dataset.sha256[:12]}... today"
            )
        return dataset
    for path in _files(folder):
        if hashlib.sha256(path.read_bytes()).hexdigest() == wanted:
            return read_dataset(path)
    raise data_changed(stored, f"no file in {folder.name}/ has it today")


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.glob("*.json")) if path.is_file())


def _refuse_contradictions(arguments: argparse.Namespace, stored: Report) -> None:
    live = stored.environment.runtime == "live"
    if live and arguments.url is None:
        raise UsageError(
            "the report measured a daemon that ran already.",
            where=str(arguments.report),
            remedy="Give its address with --url; the harness cannot start it.",
        )
    if not live and (arguments.url or arguments.token_file or arguments.allow_nonempty):
        raise UsageError(
            "--url, --token-file and --allow-nonempty are for reports of a daemon that"
            " ran already.",
            remedy="Leave them out: the report's own daemon is started.",
        )


def _same_runtime(arguments: argparse.Namespace, stored: Report) -> Runtime:
    environment = stored.environment
    if environment.runtime == "live":
        return live_runtime(arguments)
    build: Build = "release" if stored.daemon.build.name == "release" else "debug"
    port = arguments.port or 0
    if environment.runtime == "containers":
        return pinned(environment.images, build, port=port, notify=notify, clone=ROOT)
    return EmbeddedRuntime(
        build,
        reason="as the report that is run again",
        setup=palace_setup(build, port=port),
    )
