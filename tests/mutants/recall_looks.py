"""Put the recall mutants, and sound daemons, before the checks of their tiers."""

from harness.measure.recall.run import RecallSettings
from harness.report.check_lines import of_check
from harness.report.model import Report
from tests.mutants.catalogue import HERE, Fault, faults_of
from tests.mutants.recall_mutants import MUTANTS
from tests.mutants.recall_trial import Mutant, Trial, red
from tests.mutants.table import Outcome
from tests.mutants.trial import Look, Sight, Way

RECALL = "recall"


def recall_outcome(trial: Trial, mutant: Mutant) -> Outcome:
    """Measure a mutant where it is looked for; caught by a check meant for it."""
    report = trial.report(mutant.settings, mutant)
    names = mutant.caught_by & red(report)
    look = Look(RECALL, _sight(report, min(names)) if names else None)
    return Outcome(_fault_of(mutant), (look,))


def recall_alarm(trial: Trial) -> Look:
    """Measure every row of a sound daemon, the embedder's faults left out."""
    report = trial.report(RecallSettings(tier="smoke", faults=()))
    names = red(report)
    return Look(RECALL, _sight(report, min(names)) if names else None)


def recall_faults() -> dict[str, Mutant]:
    """Return the recall mutants by name."""
    return {mutant.name: mutant for mutant in MUTANTS}


def _sight(report: Report, name: str) -> Sight:
    check = next(check for check in report.checks if check.name == name)
    way = Way.INVARIANT if name.startswith("invariant.") else Way.CHECK
    return Sight(way, of_check(check))


def _fault_of(mutant: Mutant) -> Fault:
    if mutant.constants:
        values = ", ".join(f"{key} {value}" for key, value in mutant.constants.items())
        return Fault(RECALL, mutant.name, f"The ranking's constants change: {values}.")
    does = {fault.name: fault.does for fault in faults_of(HERE / "plant_recall.py")}
    return Fault(RECALL, mutant.name, does[mutant.name])
