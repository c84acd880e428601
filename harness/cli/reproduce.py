"""``harness reproduce``: run a stored report again, and hold the two together."""

import argparse
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from harness.cli.evaluate import evaluated
from harness.cli.output import emit, refuse_unwritable
from harness.cli.progress import TerminalProgress, notify
from harness.cli.reproduce_longmemeval import measured_again as longmemeval_again
from harness.cli.target import PATIENCE, ROOT, TRIGRAMS, live_runtime
from harness.dataset.model import Dataset
from harness.dataset.read import read_dataset
from harness.dataset.recall.model import digest
from harness.dataset.vectors import concepts, trigrams
from harness.errors import ExitCode, UsageError
from harness.judge.machine import reproduction_json
from harness.judge.reproduction import data_changed, reproduction, require_repeatable
from harness.judge.sheets import print_reproduction
from harness.measure.evaluate import EvaluationSettings
from harness.measure.recall.material import material
from harness.measure.recall.run import RecallSettings, measure_recall
from harness.report.model import Report
from harness.report.recall import RecallFacts
from harness.report.store import load, save
from harness.runtime.base import Runtime
from harness.runtime.choice import Wish
from harness.runtime.container.pinned import pinned
from harness.runtime.embedded import EmbeddedRuntime, palace_setup
from harness.runtime.embedder import EmbedderWish, embedder_setup
from harness.runtime.palace import Build
from harness.runtime.signals import unwinding

DATASETS = ROOT / "datasets"


def run(arguments: argparse.Namespace) -> ExitCode:
    """Measure again what a report measured, and say whether the same came out."""
    refuse_unwritable(arguments.out, arguments.report, arguments.dataset)
    stored = load(arguments.report)
    _refuse_contradictions(arguments, stored)
    with unwinding():
        again = _measured_again(arguments, stored)
    if arguments.out is not None:
        save(again, arguments.out)
    found = reproduction(stored, again)
    if arguments.json:
        emit(reproduction_json(found))
    else:
        print_reproduction(found)
    return found.exit_code


def _measured_again(arguments: argparse.Namespace, stored: Report) -> Report:
    """Ask the same of the same, whichever suite it was."""
    asked = stored.parameters
    if stored.recall is not None:
        require_repeatable(stored, vectors=trigrams.DESCRIPTION)
        require_same_tier(stored, stored.recall)
        plan = RecallSettings(
            tier=stored.recall.tier,
            variant=stored.recall.variant,
            repetitions=arguments.repetitions,
            limit=asked.limit,
            cutoffs=asked.cutoffs,
            fault_queries=_fault_queries(stored.recall),
            allow_nonempty=arguments.allow_nonempty,
        )
        runtime = _same_runtime(arguments, stored, TRIGRAMS)
        return measure_recall(plan, runtime, TerminalProgress())
    if stored.longmemeval is not None:
        require_repeatable(stored, vectors=stored.environment.vectors)
        return longmemeval_again(
            arguments,
            stored,
            stored.longmemeval,
            lambda settings: _same_runtime(arguments, stored, settings=settings),
        )
    require_repeatable(stored, vectors=concepts.DESCRIPTION)
    dataset = same_data(stored, arguments.dataset)
    settings = EvaluationSettings(
        repetitions=arguments.repetitions,
        scale=asked.scale,
        limit=asked.limit,
        cutoffs=asked.cutoffs,
        allow_nonempty=arguments.allow_nonempty,
    )
    return evaluated(dataset, _same_runtime(arguments, stored), settings)


def require_same_tier(stored: Report, facts: RecallFacts) -> None:
    """Refuse a report whose corpus this harness no longer makes.

    Raises:
        IncomparableError: The corpus of that tier and variant is another one today.
    """
    today = digest(material(facts.tier, facts.variant).corpus.documents)
    if today != stored.dataset.sha256:
        raise data_changed(stored, f"this tier's corpus has {today[:12]}... today")


def _fault_queries(facts: RecallFacts) -> int:
    return max((fault.queries for fault in facts.faults), default=1)


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
    if stored.recall is not None and arguments.dataset is not None:
        raise UsageError(
            "--dataset does not go with the report of a recall tier.",
            where=str(arguments.report),
            remedy="Leave it out: the tier's corpus is made, not read.",
        )
    if live and arguments.url is None:
        raise UsageError(
            "the report measured a daemon that ran already.",
            where=str(arguments.report),
            remedy="Give its address with --url; the harness cannot start it.",
        )
    given = (arguments.url, arguments.token_file, arguments.embedder)
    if not live and (any(given) or arguments.allow_nonempty):
        raise UsageError(
            "--url, --token-file, --embedder and --allow-nonempty are for reports of a"
            " daemon that ran already.",
            remedy="Leave them out: the report's own daemon is started.",
        )


def _same_runtime(
    arguments: argparse.Namespace,
    stored: Report,
    embedder: EmbedderWish | None = None,
    *,
    settings: Mapping[str, str] | None = None,
) -> Runtime:
    environment = stored.environment
    if environment.runtime == "live":
        return live_runtime(arguments)
    build: Build = "release" if stored.daemon.build.name == "release" else "debug"
    wish = Wish(
        build=build,
        port=arguments.port or 0,
        embedder=embedder,
        settings={**(PATIENCE if embedder else {}), **(settings or {})},
    )
    if environment.runtime == "containers":
        return pinned(environment.images, wish, notify=notify, clone=ROOT)
    return EmbeddedRuntime(
        build,
        reason="as the report that is run again",
        setup=palace_setup(build, port=wish.port, settings=wish.settings),
        embedder=embedder_setup(embedder, clone=ROOT) if embedder else None,
    )
