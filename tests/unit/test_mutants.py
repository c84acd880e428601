"""The list of planted faults, what is known of each, and how outcomes are written."""

import re
from pathlib import Path

import pytest

from tests.mutants.catalogue import HERE, Fault, faults_of, read_faults
from tests.mutants.ledger import (
    NEEDS_AB,
    NEEDS_AGAIN,
    NEEDS_FIELD,
    SURVIVORS,
    bench_of,
)
from tests.mutants.recall_mutants import MUTANTS
from tests.mutants.table import Outcome, line, markdown, rate, summary
from tests.mutants.trial import Look, Sight, Way

DOCS = Path(__file__).resolve().parents[2] / "docs" / "methodology.md"
FAULTS = read_faults()
NAMES = [fault.name for fault in FAULTS]

A_FAULT = Fault("words", "stemming_off", "No stems.")
RED = Look("core", Sight(Way.REGRESSION, "mrr: 1 -> 0"))
GREEN = Look("core", None)


def published() -> str:
    return DOCS.read_text(encoding="utf-8").partition("\n## What the gate catches")[2]


def test_no_two_faults_of_the_drawers_have_one_name() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert len(NAMES) > 50


def test_every_fault_says_what_the_daemon_then_does() -> None:
    assert [fault.name for fault in FAULTS if not fault.does.endswith(".")] == []


def test_what_the_ledger_knows_is_planted_and_known_once() -> None:
    known = [*NEEDS_FIELD, *NEEDS_AGAIN, *NEEDS_AB, *SURVIVORS]

    assert set(known) <= set(NAMES)
    assert len(set(known)) == len(known)


def test_every_survivor_has_a_reason() -> None:
    assert [name for name, reason in SURVIVORS.items() if len(reason) < 40] == []


@pytest.mark.parametrize(
    ("fault", "bench"),
    [
        ("wing_filter_dropped", "core"),
        ("only_the_first_words_kept", "field"),
        ("ties_differ_each_time", "again"),
        ("search_a_fifth_slower", None),
        ("vectors_not_normalised", None),
    ],
)
def test_a_fault_is_looked_for_where_it_is_caught(
    fault: str, bench: str | None
) -> None:
    assert bench_of(fault) == bench


def test_a_fault_is_a_public_function_that_takes_and_returns_nothing(
    tmp_path: Path,
) -> None:
    source = tmp_path / "module.py"
    source.write_text(
        'def wrong() -> None:\n    """Be wrong.\n\n    Indeed.\n    """\n\n'
        "def _inner() -> None: ...\n\n"
        "def put(thing: int) -> None: ...\n\n"
        "def what() -> int: ...\n"
    )

    assert faults_of(source) == (Fault("module", "wrong", "Be wrong."),)


def test_the_documentation_has_every_fault_and_no_other() -> None:
    listed = re.findall(r"^\| `([a-z.0-9_]+)` \|", published(), re.MULTILINE)
    recall = [f"recall.{mutant.name}" for mutant in MUTANTS]

    assert sorted(listed) == sorted([fault.mutant for fault in FAULTS] + recall)


def test_the_documentation_names_the_same_survivors_with_their_reasons() -> None:
    text = " ".join(published().split())

    for name, reason in SURVIVORS.items():
        assert f"`{name}`: {reason}" in text, name
    assert len(re.findall(r"\| survives \|", text)) == len(SURVIVORS)


def test_the_documentation_counts_what_it_lists() -> None:
    planted = len(FAULTS) + len(MUTANTS)

    assert f"{planted - len(SURVIVORS)} of {planted}" in published()


def test_a_mutant_that_survives_for_no_reason_is_not_as_listed() -> None:
    assert Outcome(A_FAULT, (RED,)).is_as_listed
    assert Outcome(A_FAULT, (GREEN,), reason="nothing to see").is_as_listed
    assert not Outcome(A_FAULT, (GREEN,)).is_as_listed


def test_a_listed_survivor_that_is_caught_is_not_as_listed() -> None:
    assert not Outcome(A_FAULT, (RED,), reason="nothing to see").is_as_listed


def test_the_summary_counts_by_gate_and_names_what_is_not_as_listed() -> None:
    field = Look("field", Sight(Way.INVARIANT, "visible: d1"))
    outcomes = [Outcome(A_FAULT, (RED,)), Outcome(A_FAULT, (GREEN, field))]

    assert list(summary([*outcomes, Outcome(A_FAULT, (GREEN,))])) == [
        "Caught: 2 of 3 (66.7%).",
        "  core: 1 of the 3 it was asked about.",
        "  field: 1 of the 1 it was asked about.",
        "SURVIVES: stemming_off, and no reason is listed.",
    ]


def test_an_outcome_is_written_with_what_each_gate_saw_and_the_first_finding() -> None:
    moved = Look("core", None, moved=3)
    outcome = Outcome(A_FAULT, (moved, Look("field", RED.sight)))

    assert line(outcome).split("\n") == [
        f"caught   {'words.stemming_off':<42} core: 3 moved, field: regression",
        "         mrr: 1 -> 0",
    ]


def test_the_table_has_a_column_a_gate() -> None:
    outcome = Outcome(A_FAULT, (GREEN, Look("field", RED.sight)))

    assert markdown([outcome]).split("\n") == [
        "| fault | what the daemon then does | core | field | found first |",
        "| --- | --- | --- | --- | --- |",
        "| `words.stemming_off` | No stems. | - | regression | mrr: 1 -> 0 |",
    ]


def test_a_share_of_nothing_is_no_share() -> None:
    assert rate(0, 0) == "0 of 0"
    assert rate(1, 3) == "1 of 3 (33.3%)"


def test_faults_lie_where_the_daemon_finds_them() -> None:
    assert (HERE / "plant.py").is_file()
    assert {fault.module for fault in FAULTS} == {
        "graphs", "keeping", "legs", "pages", "places", "times", "vectors", "words",
    }  # fmt: skip
