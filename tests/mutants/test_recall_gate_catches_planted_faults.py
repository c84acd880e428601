"""Each fault planted in the daemon's recall is seen, and by the checks meant for it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.errors import ExitCode
from harness.judge.recall.checks import exit_code
from harness.measure.recall.run import RecallSettings
from harness.report.model import Report
from tests.mutants.recall_mutants import MUTANTS
from tests.mutants.recall_trial import Mutant, Trial, green, red, trial

pytestmark = [pytest.mark.slow, pytest.mark.postgres]


@pytest.fixture(scope="module")
def bench() -> Iterator[Trial]:
    with trial() as made:
        yield made


@pytest.fixture(scope="module")
def sound(bench: Trial) -> dict[str, Report]:
    """Measure a sound daemon wherever a fault is looked for."""
    faults = tuple({kind: None for mutant in MUTANTS for kind in mutant.faults})
    at_1k = frozenset().union(*(m.rows for m in MUTANTS if m.tier == "1k"))
    return {
        "smoke": bench.report(RecallSettings(tier="smoke", faults=faults)),
        "1k": bench.report(RecallSettings(tier="1k", rows=at_1k)),
    }


@pytest.mark.parametrize("tier", ["smoke", "1k"])
def test_the_sound_daemon_is_green_wherever_a_fault_is_looked_for(
    sound: dict[str, Report], tier: str
) -> None:
    meant = [mutant for mutant in MUTANTS if mutant.tier == tier]
    named = frozenset().union(*(each.caught_by | each.spared for each in meant))

    assert named - green(sound[tier]) == set()


def test_the_sound_daemon_fails_nothing_but_what_was_left_out(
    sound: dict[str, Report],
) -> None:
    assert red(sound["smoke"]) == set()
    assert exit_code(sound["smoke"]) is ExitCode.GATE_FAILED


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_planted_fault_turns_its_checks_red(bench: Trial, mutant: Mutant) -> None:
    report = bench.report(mutant.settings, mutant)

    assert mutant.caught_by - red(report) == set()
    assert mutant.spared - green(report) == set()


def test_every_fault_that_can_be_planted_is() -> None:
    # Read as text: importing it needs the daemon, which only its own environment has.
    source = Path(__file__).with_name("plant_recall.py").read_text(encoding="utf-8")
    planted = {
        node.name
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }

    assert planted == {mutant.name for mutant in MUTANTS if not mutant.constants}
