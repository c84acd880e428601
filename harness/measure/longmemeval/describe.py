"""Everything about a question that is known before anything is sent."""

from dataclasses import asdict

from harness.dataset.longmemeval.defects import find_defects
from harness.dataset.longmemeval.errata import Errata
from harness.dataset.longmemeval.model import Question
from harness.dataset.longmemeval.policies import (
    GoldPolicy,
    Policies,
    gold,
    question_sets,
    why_unscored,
)
from harness.dataset.longmemeval.units import Unit, pool_size, units
from harness.measure.longmemeval.plan import comparable
from harness.measure.longmemeval.records import QuestionRecord

UNKNOWN_TYPE = "unknown"


def describe(
    question: Question, policies: Policies, errata: Errata | None
) -> tuple[QuestionRecord, list[Unit]]:
    """Return a question's record, without an answer yet, and what is to be written.

    A question is asked when it is relevant to any figure: those that are left out of
    the headline are in other sets of questions. Without gold under every policy there
    is nothing to measure, and it is only listed.
    """
    under = comparable(policies)
    everything = units(question, policies)
    written = [unit for unit in everything if not unit.is_blank]
    golds = {name: _sorted(gold(question, each)) for name, each in under.items()}
    corrected = _corrected(question, under, errata)
    known = [*golds.values(), *(each for each in (corrected or {}).values() if each)]
    record = QuestionRecord(
        index=question.index,
        id=question.id,
        type=question.type or UNKNOWN_TYPE,
        sets=tuple(sorted(question_sets(question))),
        unscored=why_unscored(question, policies),
        asked=any(known),
        gold=golds,
        corrected=corrected,
        pool={name: pool_size(question, each) for name, each in under.items()},
        sessions=len(question.sessions),
        documents=len(written) if any(known) else 0,
        blank=len(everything) - len(written),
        characters=sum(len(unit.text) for unit in written) if any(known) else 0,
        defects=asdict(find_defects(question)),
    )
    return record, written


def _corrected(
    question: Question, under: dict[GoldPolicy, Policies], errata: Errata | None
) -> dict[GoldPolicy, tuple[str, ...] | None] | None:
    if errata is None:
        return None
    corrected: dict[GoldPolicy, tuple[str, ...] | None] = {}
    for name, policies in under.items():
        found = errata.apply(question, policies)
        corrected[name] = None if found is None else _sorted(found)
    return corrected


def _sorted(names: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(names))
