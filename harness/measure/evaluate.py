"""One whole evaluation: start, seed, prove, ask, and put the report together.

A report comes out of a run that went through to its end, or not at all: whatever
fails on the way, an interruption included, leaves through the runtime's clean-up.
"""

from harness.daemon.timing import REAL_TIME, Time
from harness.dataset.configurations import CONFIGURATIONS
from harness.dataset.model import Dataset
from harness.measure import passes
from harness.measure.progress import Progress
from harness.measure.ready import EvaluationSettings, Ready, ready
from harness.report.model import ConfigurationResult, Report
from harness.runtime.base import Runtime

__all__ = ["EvaluationSettings", "evaluate"]


def evaluate(
    dataset: Dataset,
    runtime: Runtime,
    settings: EvaluationSettings,
    progress: Progress,
    *,
    time: Time = REAL_TIME,
) -> Report:
    """Measure one daemon on one data set under every configuration.

    The report's discrimination checks are left empty: they judge the numbers, which
    is the judge's work. Arguments and errors as for `ready`.
    """
    with ready(dataset, runtime, settings, progress, time=time) as daemon:
        return daemon.report(_measure(daemon, progress))


def _measure(daemon: Ready, progress: Progress) -> list[ConfigurationResult]:
    """Run every configuration between two readings of the client's own floor."""
    timed = daemon.phases.timed
    if daemon.settings.repetitions:
        with timed("client floor"):
            daemon.floor.take_before()
    results = []
    for configuration in CONFIGURATIONS:
        with timed(configuration.name):
            results.append(passes.measure(daemon.asker, configuration, progress))
    if daemon.settings.repetitions:
        with timed("client floor again"):
            daemon.floor.take_after()
    return results
