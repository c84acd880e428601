"""``harness reproduce`` for a LongMemEval report: its questions, asked again."""

import argparse
import hashlib
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from harness.cli.embedding import embedding, model_of, profile_settings
from harness.cli.evaluate import REPORTS
from harness.cli.longmemeval import SETTINGS, planned
from harness.cli.progress import TerminalProgress, warn
from harness.cli.target import ROOT
from harness.dataset.longmemeval.releases import file_facts
from harness.errors import IncomparableError, PrerequisiteError, UsageError
from harness.judge.reproduction import data_changed
from harness.measure.longmemeval.embedder import Embedder
from harness.measure.longmemeval.family import forget
from harness.measure.longmemeval.plan import LongMemEvalPlan
from harness.measure.longmemeval.run import Machinery, measure_longmemeval
from harness.provider.credentials import DIMENSION, MODEL, URL, read_endpoint
from harness.provider.options import EmbeddingOptions
from harness.report.longmemeval import ErrataFacts, LongMemEvalFacts
from harness.report.model import Report
from harness.runtime.base import Runtime

DATASETS = ROOT / "datasets"


def measured_again(
    arguments: argparse.Namespace,
    stored: Report,
    facts: LongMemEvalFacts,
    runtime: Callable[[Mapping[str, str]], Runtime],
) -> Report:
    """Ask the questions of a stored report again, with one daemon.

    Args:
        arguments: Those of ``harness reproduce``; ``dataset`` is the file, where it is
            none of those in ``datasets/``.
        stored: The report.
        facts: Its part on LongMemEval.
        runtime: Gives the report's own runtime, with these variables for the daemon.

    Raises:
        IncomparableError: The file, the errata or the model is another today, or a
            question of the report failed.
        PrerequisiteError: The environment names no endpoint, and the report has one.
        UsageError: Timed passes were asked for.
        HarnessError: As ``harness longmemeval``.
    """
    if facts.errors:
        raise IncomparableError(
            f"{len(facts.errors)} requests of the report's run failed, so it has no "
            "figures to come out the same.",
            where=str(arguments.report),
            remedy="Run the command that made it again: it asks what failed.",
        )
    if arguments.repetitions:
        raise UsageError(
            "--repetitions does not go with a LongMemEval report.",
            remedy="Leave it out: each question is asked once.",
        )
    words = _words(arguments, stored, facts)
    plan, _ = planned(words)
    if facts.embedding is None:
        return _measured(plan, None, runtime(SETTINGS))
    _require_model(stored)
    with embedding(words) as embedder:
        model = model_of(embedder)
        if model is not None and model.dimension != facts.embedding.dimension:
            raise IncomparableError(
                f"the report's vectors have length {facts.embedding.dimension}, those "
                f"of {model.name!r} have {model.dimension} today.",
                remedy=f"Set {DIMENSION} to {facts.embedding.dimension}.",
            )
        settings = {**SETTINGS, **profile_settings(model)}
        return _measured(replace(plan, model=model), embedder, runtime(settings))


def _words(
    arguments: argparse.Namespace, stored: Report, facts: LongMemEvalFacts
) -> argparse.Namespace:
    """Put the report's run into the words of ``harness longmemeval``."""
    rule = facts.oversize_rule
    options = EmbeddingOptions() if rule is None else EmbeddingOptions.of_rule(rule)
    errata = facts.errata
    return argparse.Namespace(
        path=_file(stored, arguments.dataset),
        oracle=facts.is_trivial,
        text=facts.policies.text,
        gold=facts.policies.gold,
        granularity=facts.policies.granularity,
        abstention=facts.policies.abstention,
        errata=None if errata is None else _errata(errata),
        limit=facts.limit,
        isolation=facts.isolation,
        allow_nonempty=arguments.allow_nonempty,
        oversize=options.oversize,
        model_tokens=options.tokens_per_text,
        embedding_cache=arguments.embedding_cache,
    )


def _measured(
    plan: LongMemEvalPlan,
    embedder: Embedder | None,
    runtime: Runtime,
) -> Report:
    # Named so that the same command, killed and given again, goes on from it.
    journal = REPORTS / plan.journal_name(f"reproduce on {runtime.name}")
    machinery = Machinery(
        runtime=runtime, progress=TerminalProgress(), embedder=embedder, warn=warn
    )
    report = measure_longmemeval(plan, journal, machinery)
    forget(journal)
    return report


def _file(stored: Report, given: Path | None) -> Path:
    """Find the file that was measured, by the SHA-256 of its bytes.

    Raises:
        IncomparableError: It is not there, or *given* is another.
    """
    if given is None:
        found = _of_hash(DATASETS.glob("*.json"), stored.dataset.sha256)
        if found is None:
            where = f"no file in {DATASETS.name}/ has it today"
            raise data_changed(stored, where)
        return found
    sha256 = file_facts(given).sha256
    if sha256 != stored.dataset.sha256:
        raise data_changed(stored, f"{str(given)!r} has {sha256[:12]}... today")
    return given


def _errata(facts: ErrataFacts) -> Path:
    found = _of_hash(DATASETS.glob("*.toml"), facts.sha256)
    if found is None:
        raise IncomparableError(
            f"the report applied the errata {facts.name!r} with the SHA-256 "
            f"{facts.sha256[:12]}..., and no file in {DATASETS.name}/ has it today.",
            remedy="Check out the commit that the report was made from.",
        )
    return found


def _of_hash(paths: Iterable[Path], sha256: str) -> Path | None:
    for path in sorted(paths):
        if hashlib.sha256(path.read_bytes()).hexdigest() == sha256:
            return path
    return None


def _require_model(stored: Report) -> None:
    """Refuse to ask another model than the report's, or none.

    Raises:
        PrerequisiteError: The environment names no endpoint.
        IncomparableError: It names another model.
    """
    wanted = stored.environment.embedding_model
    endpoint = read_endpoint(os.environ)
    if endpoint is None:
        raise PrerequisiteError(
            f"the report's vectors are of {wanted!r}, and {URL} is not set.",
            remedy=f"Set {URL} and {MODEL}, and the key if it takes one.",
        )
    if endpoint.model != wanted:
        raise IncomparableError(
            f"the report's vectors are of {wanted!r}, {MODEL} is {endpoint.model!r}.",
            remedy=f"Set {MODEL} to {wanted!r}.",
        )
