"""The first lines of a journal: which run this is, and on what it is done."""

from pathlib import Path

from harness.daemon.timing import Time
from harness.dataset.conversations import layout_of
from harness.dataset.locomo.oddities import find_oddities
from harness.measure.facts import daemon_facts, environment_facts
from harness.measure.longmemeval.plan import DEPTH, LongMemEvalPlan, comparable
from harness.measure.longmemeval.records import ErrataReading, Header, Start
from harness.measure.provenance import harness_facts
from harness.measure.target import Target
from harness.report.longmemeval import DeclaredPolicies, FileReading
from harness.report.model import Caution, Environment
from harness.runtime.base import RunningDaemon, Runtime

NO_VECTORS = "none (lexical only)"


def start_of(
    plan: LongMemEvalPlan,
    target: Target,
    runtime: Runtime,
    running: RunningDaemon,
    time: Time,
) -> Start:
    """Say when and on what a run begins, or goes on."""
    return Start(
        created_at=time.utc().isoformat(timespec="seconds").replace("+00:00", "Z"),
        harness=harness_facts(),
        daemon=daemon_facts(target),
        environment=_environment(plan, target, runtime, running),
        phases=running.phases,
        cautions=(*running.cautions, *_oddities(plan.path)),
        foreign=target.foreign,
        batches=target.writes_batches,
    )


def header_of(plan: LongMemEvalPlan, start: Start) -> Header:
    """Say which run this is, the daemon included: another one gives other figures."""
    policies, errata, daemon = plan.policies, plan.errata, start.daemon
    return Header(
        fingerprint={
            **plan.fingerprint(),
            "daemon": daemon.name,
            "daemon version": daemon.version,
            "daemon build": daemon.build.name,
            "daemon features": " ".join(daemon.features),
            "runtime": start.environment.runtime,
        },
        file=FileReading(
            name=plan.file.name,
            size=plan.file.size,
            sha256=plan.file.sha256,
            release=plan.file.release,
            is_oracle=plan.file.is_oracle,
            layout=plan.file.layout,
        ),
        policies=DeclaredPolicies(
            text=policies.text,
            gold=policies.gold,
            granularity=policies.granularity,
            abstention=policies.abstention,
        ),
        golds=tuple(comparable(policies)),
        isolation=plan.isolation,
        questions=plan.questions,
        limit=plan.limit,
        depth=DEPTH,
        errata=ErrataReading(name=errata.name, sha256=errata.sha256)
        if errata
        else None,
        model=plan.model.name if plan.model else None,
        oversize=plan.model.oversize if plan.model else None,
    )


def _environment(
    plan: LongMemEvalPlan, target: Target, runtime: Runtime, running: RunningDaemon
) -> Environment:
    model = plan.model
    vectors = NO_VECTORS if model is None else f"provider {model.name}"
    found = environment_facts(target, runtime, running, vectors=vectors)
    if model is None:
        return found
    # The harness embeds, so the daemon's own provider says nothing of these vectors.
    return found.model_copy(
        update={"embedding_provider": "http", "embedding_model": model.name}
    )


def _oddities(path: Path) -> tuple[Caution, ...]:
    """Say what is odd in a whole LoCoMo file: no question of it can."""
    if layout_of(path) != "LoCoMo":
        return ()
    remarks = find_oddities(path).remarks()
    return tuple(Caution(code="locomo", text=remark) for remark in remarks)
