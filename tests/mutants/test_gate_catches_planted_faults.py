"""Each fault planted in the daemon turns the gate red, and nothing else does."""

import re
from pathlib import Path

import pytest

from harness.dataset.read import read_dataset
from harness.errors import ExitCode
from harness.judge.baseline import load_baseline
from harness.judge.discrimination import with_discrimination
from harness.judge.gate import GateVerdict, gate
from harness.measure.evaluate import EvaluationSettings, evaluate
from harness.measure.progress import SilentProgress
from harness.runtime.embedded import EmbeddedRuntime, palace_setup
from harness.runtime.palace import DaemonSetup

ROOT = Path(__file__).resolve().parents[2]
MUTANTS = Path(__file__).parent
DATASET = read_dataset(ROOT / "datasets" / "core.json")
BASELINE = load_baseline(ROOT / "baselines" / "core.json")

# Read as text: importing it needs the daemon, which only its own environment has.
FAULTS = re.findall(
    r"^def ([a-z]\w+)\(\) -> None:", (MUTANTS / "plant.py").read_text(), re.MULTILINE
)

pytestmark = [pytest.mark.slow, pytest.mark.postgres]


def verdict_on(setup: DaemonSetup) -> GateVerdict:
    """Measure a daemon's quality and put it before the gate."""
    report = evaluate(
        DATASET,
        EmbeddedRuntime(setup.build, setup=setup),
        EvaluationSettings(repetitions=0),
        SilentProgress(),
    )
    return gate(with_discrimination(report), BASELINE)


def planted(fault: str) -> DaemonSetup:
    """Describe a release daemon that starts with *fault* in it."""
    sound = palace_setup("release")
    return DaemonSetup(
        python=sound.python,
        folder=sound.folder,
        build=sound.build,
        module="plant",
        settings={"PYTHONPATH": str(MUTANTS), "MUTANT": fault},
    )


def test_the_sound_daemon_passes() -> None:
    verdict = verdict_on(palace_setup("release"))

    assert verdict.findings == ()
    assert verdict.passed


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_turns_the_gate_red(fault: str) -> None:
    verdict = verdict_on(planted(fault))

    assert verdict.exit_code is ExitCode.GATE_FAILED, fault
    assert [finding for finding in verdict.findings if finding.fails]


def test_the_faults_that_must_be_caught_are_all_planted() -> None:
    assert {
        "supersession_ignored",
        "wing_filter_dropped",
        "as_of_one_epoch_late",
        "as_of_one_epoch_early",
        "fusion_without_lexical_leg",
        "stemming_off",
        "pool_of_ten",
        "expansion_before_direct_hits",
    } <= set(FAULTS)
