"""What a phase used is the difference of two readings, and unknown is not 0."""

from harness.measure.meter import Meter
from harness.report.model import Usage
from harness.runtime.base import Reading


def test_runtime_without_counters_measures_nothing() -> None:
    assert Meter(None).lap() is None


def test_each_lap_is_what_came_since_the_last() -> None:
    readings = iter(
        [
            {"daemon": Reading(1.0, 100, 50)},
            {"daemon": Reading(1.5, 120, 40)},
            {"daemon": Reading(3.5, 120, 45)},
        ]
    )
    meter = Meter(lambda: next(readings))

    assert meter.lap() == {"daemon": used(0.5, 120, -10)}
    assert meter.lap() == {"daemon": used(2.0, 120, 5)}


def test_what_cannot_be_read_is_null() -> None:
    readings = iter(
        [
            {"daemon": Reading(None, None, None)},
            {"daemon": Reading(1.0, None, 5), "late": Reading(1.0, 1, 1)},
        ]
    )
    meter = Meter(lambda: next(readings))

    assert meter.lap() == {"daemon": used(None, None, None)}


def used(cpu_s: float | None, peak: int | None, growth: int | None) -> Usage:
    return Usage(cpu_s=cpu_s, peak_memory_bytes=peak, disk_growth_bytes=growth)
