"""Tell what each phase used, from counters that only ever say how much it is by now."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from harness.report.model import Usage
from harness.runtime.base import Reading

Number = TypeVar("Number", int, float)


class Meter:
    """Reads the counters at the border of two phases.

    Args:
        read: Gives the counters of each part; none where the runtime has no counters.
    """

    def __init__(self, read: Callable[[], Mapping[str, Reading]] | None) -> None:
        self._read = read
        self._last = read() if read else {}

    def lap(self) -> dict[str, Usage] | None:
        """Say what each part used since the last call, the first since the start.

        A part that was not there the last time, and a counter that could not be read
        at either border, is left out or ``None``: never 0.
        """
        if self._read is None:
            return None
        before, self._last = self._last, self._read()
        return {
            part: Usage(
                cpu_s=_difference(now.cpu_s, before[part].cpu_s),
                peak_memory_bytes=now.peak_memory_bytes,
                disk_growth_bytes=_difference(now.disk_bytes, before[part].disk_bytes),
            )
            for part, now in self._last.items()
            if part in before
        }


def _difference(now: Number | None, before: Number | None) -> Number | None:
    return None if now is None or before is None else now - before
