"""Compute every figure of a run from its journal's records, in file order.

Whatever order the questions were asked in, and by how many, the same records give the
same figures to the bit.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from harness.dataset.longmemeval.chance import chance_level
from harness.dataset.longmemeval.policies import GoldPolicy, QuestionSet
from harness.measure.longmemeval.records import Answer, QuestionRecord, Ranked
from harness.measure.metrics import mean_metrics
from harness.measure.official import CUTOFFS, score_question
from harness.report.longmemeval import Figure, Returned, UnscoredRanking
from harness.report.model import ConfigurationResult, Ranking, ScoredHit
from harness.units import MILLISECOND

SETS: tuple[QuestionSet, ...] = ("all", "answerable", "official")

Metrics = Mapping[str, float]


@dataclass(slots=True)
class Scores:
    """Scores rankings; what two policies agree on is scored once."""

    _known: dict[tuple[str, int, frozenset[str]], Metrics] = field(default_factory=dict)
    _chances: dict[tuple[int, int], Metrics] = field(default_factory=dict)

    def of(
        self, record: QuestionRecord, answer: Answer, gold: Sequence[str]
    ) -> Metrics:
        """Score one answer against *gold*, which is not empty."""
        key = (answer.configuration, record.index, frozenset(gold))
        if key not in self._known:
            ranking = [name for name, _ in answer.hits]
            self._known[key] = score_question(ranking, key[2], CUTOFFS)
        return self._known[key]

    def chance(self, pool: int, gold: int) -> Metrics:
        """Return what a random ranking scores."""
        key = (pool, gold)
        if key not in self._chances:
            self._chances[key] = chance_level(pool, gold, CUTOFFS)
        return self._chances[key]


def answer_of(record: QuestionRecord, configuration: Ranked) -> Answer | None:
    """Find what a configuration brought; ``None`` where it was not asked, or failed."""
    for answer in record.answers:
        if answer.configuration == configuration:
            return answer
    return None


def figures(
    records: Sequence[QuestionRecord],
    configurations: Sequence[Ranked],
    golds: Sequence[GoldPolicy],
    scores: Scores,
    *,
    corrected: bool = False,
) -> Iterator[Figure]:
    """Average every metric over every published set, under every gold policy.

    Args:
        records: Of every question, in file order.
        configurations: Which were asked.
        golds: The policies that are scored in the rankings' ids.
        scores: Keeps what was scored before.
        corrected: Whether to take the gold of the errata.
    """
    for configuration in configurations:
        for gold in golds:
            for name in SETS:
                chosen = [
                    (record, answer, relevant)
                    for record in records
                    if name in record.sets
                    and (answer := answer_of(record, configuration)) is not None
                    and (relevant := _gold(record, gold, corrected))
                ]
                values = mean_metrics([scores.of(*each) for each in chosen])
                chances = mean_metrics(
                    [
                        scores.chance(record.pool[gold], len(relevant))
                        for record, _, relevant in chosen
                    ]
                )
                for metric, value in values.items():
                    yield Figure(
                        configuration=configuration,
                        metric=metric,
                        gold=gold,
                        question_set=name,
                        questions=len(chosen),
                        value=value,
                        chance=chances.get(metric),
                    )


def _gold(
    record: QuestionRecord, policy: GoldPolicy, corrected: bool
) -> tuple[str, ...] | None:
    if corrected and record.corrected is not None:
        return record.corrected[policy]
    return record.gold[policy]


def result_of(
    configuration: Ranked,
    records: Sequence[QuestionRecord],
    gold: GoldPolicy,
    scores: Scores,
    *,
    headline: bool,
) -> ConfigurationResult:
    """Give the rankings of the scored questions, and their means.

    Args:
        configuration: Which one.
        records: Of every question, in file order.
        gold: The declared policy.
        scores: Keeps what was scored before.
        headline: Whether there are means: not where anything failed.
    """
    rankings = [
        _ranking(record, answer, gold, scores)
        for record in records
        if record.unscored is None
        and (answer := answer_of(record, configuration)) is not None
    ]
    of_type: dict[str, list[Metrics]] = {}
    for ranking in rankings:
        of_type.setdefault(ranking.category, []).append(ranking.metrics)
    means = {name: mean_metrics(of_type[name]) for name in sorted(of_type)}
    return ConfigurationResult(
        name=configuration,
        ranking=configuration,
        expand=False,
        queries=len(rankings),
        metrics=mean_metrics([each.metrics for each in rankings]) if headline else {},
        by_category=means if headline else {},
        category_queries={name: len(of_type[name]) for name in sorted(of_type)},
        latency=None,
        rankings=tuple(rankings),
    )


def _ranking(
    record: QuestionRecord, answer: Answer, gold: GoldPolicy, scores: Scores
) -> Ranking:
    relevant = record.gold[gold]
    return Ranking(
        query=record.id,
        category=record.type,
        metrics=scores.of(record, answer, relevant),
        hits=tuple(
            ScoredHit(document=name, score=score) for name, score in answer.hits
        ),
        plan=answer.plan,
        grades=dict.fromkeys(relevant, 1),
        service_ms=(answer.service_s / MILLISECOND,),
    )


def returned(
    configuration: Ranked, records: Sequence[QuestionRecord], gold: GoldPolicy
) -> Returned:
    """Count what did not come back, and the questions that nothing came back to."""
    asked = [
        (record, answer)
        for record in records
        if (answer := answer_of(record, configuration)) is not None
    ]
    pool = sum(record.pool[gold] for record, _ in asked)
    found = sum(len(answer.hits) - len(answer.unknown) for _, answer in asked)
    return Returned(
        configuration=configuration,
        asked=len(asked),
        without_hits=sum(not answer.hits for _, answer in asked),
        pool=pool,
        unreturned=max(pool - found, 0),
    )


def unscored_rankings(records: Sequence[QuestionRecord]) -> Iterator[UnscoredRanking]:
    """Keep what came back to questions outside the headline: other sets have them."""
    for record in records:
        if record.unscored is not None:
            for answer in record.answers:
                yield UnscoredRanking(
                    configuration=answer.configuration,
                    question=record.id,
                    hits=tuple(name for name, _ in answer.hits),
                )
