"""Put journals into a report: nothing else is known, so nothing else can be in it."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.daemon.haystack import FEATURE_SCOPED
from harness.errors import NothingMeasuredError
from harness.measure.latency import distribution
from harness.measure.longmemeval import figures
from harness.measure.longmemeval.cautions import cautions_of
from harness.measure.longmemeval.endpoint import embedding_facts
from harness.measure.longmemeval.figures import SETS, Scores, answer_of
from harness.measure.longmemeval.journal import read_journal
from harness.measure.longmemeval.merge import Run, merged
from harness.measure.longmemeval.records import QuestionRecord, Ranked, Spent
from harness.measure.metrics import NDCG_GAIN
from harness.measure.official import CUTOFFS
from harness.report.longmemeval import (
    AskedQuestion,
    ErrataFacts,
    LongMemEvalFacts,
    Pace,
    QuestionCounts,
    QuestionError,
)
from harness.report.model import (
    DatasetFacts,
    Invariant,
    Latency,
    Parameters,
    Phase,
    Report,
    Seeding,
    Violation,
)

NOT_WRITTEN = "this question never wrote it"


def report_from_journals(paths: Sequence[Path]) -> Report:
    """Make the report of a run from its journals, however many there are.

    Args:
        paths: One or more, of the same run. Together they hold every question.

    Raises:
        UsageError: They are of different runs.
        ReportFormatError: One cannot be read, two hold the same question, or one
            question is in none.
        NothingMeasuredError: No question has a result.
    """
    run = merged([(path, read_journal(path)) for path in paths])
    if not any(record.answers or record.failures for record in run.records):
        raise NothingMeasuredError(
            "no question has gold, so none was asked.",
            where=run.header.file.name,
            remedy="Is the gold policy one that this file has labels for?",
        )
    return _report(run)


def _report(run: Run) -> Report:
    scores = Scores()
    gold = run.header.policies.gold
    results = tuple(
        figures.result_of(
            configuration, run.records, gold, scores, headline=not run.failed
        ).model_copy(update={"latency": _latency(run, configuration)})
        for configuration in run.configurations
    )
    start = run.starts[0]
    facts = _facts(run, scores)
    return Report(
        suite="longmemeval",
        created_at=start.created_at,
        harness=start.harness,
        daemon=start.daemon,
        dataset=DatasetFacts(
            name=f"longmemeval:{run.header.file.name}",
            version=0,
            sha256=run.header.file.sha256,
            documents=sum(record.documents for record in run.records),
            queries=facts.counts.asked,
        ),
        environment=start.environment,
        parameters=Parameters(
            cutoffs=CUTOFFS,
            limit=run.header.depth,
            repetitions=0,
            scale=0,
            ndcg_gain=NDCG_GAIN,
            skipped_queries=facts.counts.read - facts.counts.scored,
        ),
        seeding=_seeding(run),
        configurations=results,
        client_floor=None,
        invariants=(_known(run),),
        discrimination=(),
        warnings=(
            *start.cautions,
            *cautions_of(facts, run.starts, run.records, journals=len(run.walls)),
        ),
        phases=(
            *start.phases,
            Phase(name="questions", seconds=facts.pace.wall_s),
        ),
        longmemeval=facts,
    )


def _facts(run: Run, scores: Scores) -> LongMemEvalFacts:
    header, records = run.header, run.records
    gold = header.policies.gold
    return LongMemEvalFacts(
        file=header.file,
        is_trivial=header.file.is_oracle,
        policies=header.policies,
        isolation=header.isolation,
        scoped_statistics=FEATURE_SCOPED in run.starts[0].daemon.features,
        depth=header.depth,
        limit=header.limit,
        counts=_counts(records),
        questions=tuple(_question(record, run) for record in records),
        figures=()
        if run.failed
        else tuple(figures.figures(records, run.configurations, header.golds, scores)),
        errata=_errata(run, scores),
        returned=tuple(
            figures.returned(each, records, gold) for each in run.configurations
        ),
        unscored_rankings=tuple(figures.unscored_rankings(records)),
        errors=tuple(_errors(records)),
        defects=_defects(records),
        characters=sum(record.characters for record in records),
        drawers=sum(record.drawers for record in records),
        split_documents=sum(record.split for record in records),
        truncated_documents=sum(record.truncated for record in records),
        oversize_rule=header.oversize,
        embedding=embedding_facts(run.embedded, header.fingerprint["dimension"]),
        sessions_of_run=len(run.starts),
        pace=_pace(run),
    )


def _counts(records: Sequence[QuestionRecord]) -> QuestionCounts:
    reasons = Counter(record.unscored for record in records if record.unscored)
    return QuestionCounts(
        read=len(records),
        asked=sum(record.asked for record in records),
        scored=sum(record.unscored is None for record in records),
        sets={name: sum(name in record.sets for record in records) for name in SETS},
        unscored=dict(sorted(reasons.items())),
    )


def _question(record: QuestionRecord, run: Run) -> AskedQuestion:
    return AskedQuestion(
        id=record.id,
        type=record.type,
        sets=record.sets,
        unscored=record.unscored,
        asked=record.asked,
        sessions=record.sessions,
        documents=record.documents,
        blank=record.blank,
        pool=record.pool[run.header.policies.gold],
        gold=record.gold,
    )


def _errata(run: Run, scores: Scores) -> ErrataFacts | None:
    listed, gold = run.header.errata, run.header.policies.gold
    if listed is None:
        return None
    corrected = [
        (record, record.corrected[gold])
        for record in run.records
        if record.corrected is not None
    ]
    return ErrataFacts(
        name=listed.name,
        sha256=listed.sha256,
        regraded=tuple(
            record.id
            for record, right in corrected
            if right is not None and right != record.gold[gold]
        ),
        left_out=tuple(record.id for record, right in corrected if right is None),
        figures=()
        if run.failed
        else tuple(
            figures.figures(
                run.records,
                run.configurations,
                run.header.golds,
                scores,
                corrected=True,
            )
        ),
    )


def _errors(records: Sequence[QuestionRecord]) -> Iterator[QuestionError]:
    for record in records:
        for failure in record.failures:
            yield QuestionError(
                question=record.id,
                stage=failure.stage,
                configuration=failure.configuration,
                what=failure.what,
            )


def _defects(records: Sequence[QuestionRecord]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for record in records:
        total.update(record.defects)
    return dict(total)


def _known(run: Run) -> Invariant:
    """Hold every hit to what its question wrote."""
    answers = [(record, each) for record in run.records for each in record.answers]
    return Invariant(
        name="known",
        checked=sum(answer.checked for _, answer in answers),
        violations=tuple(
            Violation(
                configuration=answer.configuration,
                query=record.id,
                rank=rank,
                document=document,
                reason=NOT_WRITTEN,
            )
            for record, answer in answers
            for rank, document in answer.unknown
        ),
    )


def _latency(run: Run, configuration: Ranked) -> Latency | None:
    answers = [
        answer
        for record in run.records
        if (answer := answer_of(record, configuration)) is not None
    ]
    service = distribution([each.service_s for each in answers])
    first_byte = distribution([each.first_byte_s for each in answers])
    round_trip = distribution([each.round_trip_s for each in answers])
    if service is None or first_byte is None or round_trip is None:
        return None
    took = math.fsum(each.round_trip_s for each in answers)
    return Latency(
        service=service,
        first_byte=first_byte,
        round_trip=round_trip,
        queries_per_second=len(answers) / took if took else 0.0,
    )


def _seeding(run: Run) -> Seeding:
    documents = sum(record.documents for record in run.records)
    took = math.fsum(record.spent.write for record in run.records)
    return Seeding(
        documents=documents,
        filler=0,
        corrections=0,
        mentions=0,
        method="batch" if run.starts[0].batches else "single",
        verified=sum(record.verified for record in run.records),
        documents_per_second=documents / took if took else None,
        write_s=took,
    )


def _pace(run: Run) -> Pace:
    spent = [record.spent.model_dump() for record in run.records]
    names = [name for name in Spent.model_fields if name not in ("wall", "busy")]
    total, wall = math.fsum(run.walls), max(run.walls, default=0.0)
    busy = math.fsum(each["busy"] for each in spent)
    asked = sum(record.asked for record in run.records)
    return Pace(
        wall_s=wall,
        daemon_s=busy,
        daemon_share=min(busy / total, 1.0) if total else None,
        questions_per_minute=asked * 60 / wall if wall else None,
        phases={name: math.fsum(each[name] for each in spent) for name in names},
    )
