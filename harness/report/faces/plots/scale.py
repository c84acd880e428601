"""From a figure to a place on an axis, and the round figures to mark on it."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

ROUND_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Scale:
    """A straight or a logarithmic axis.

    Attributes:
        low: Figure at *start*; above 0 where the axis is logarithmic.
        high: Figure at *end*; above *low*.
        start: Pixel of *low*.
        end: Pixel of *high*; below *start* where the axis points up.
        log: Whether equal ratios take equal room.
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """Place *value*; what lies outside is put at the nearer end."""
        value = min(max(value, self.low), self.high)
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, wanted: int = 5) -> list[float]:
        """Give round figures within the axis, about *wanted* of them."""
        if self.log:
            return _log_ticks(self.low, self.high, wanted)
        return _ticks(self.low, self.high, wanted)


def unit_scale(start: float, end: float) -> Scale:
    """Scale a metric, which lies between 0 and 1."""
    return Scale(0.0, 1.0, start, end)


def log_scale(values: Iterable[float], start: float, end: float) -> Scale:
    """Scale positive *values* by ratio, with room for the outermost marks."""
    positive = [value for value in values if value > 0] or [1.0]
    low, high = min(positive), max(positive)
    room = max((high / low) ** 0.04, 1.06)
    return Scale(low / room, high * room, start, end, log=True)


def label(value: float) -> str:
    """Write a tick's figure, without the digits that rounding left."""
    return f"{value:,.10g}" if abs(value) < 1e6 else f"{value / 1e6:g}M"


def _ticks(low: float, high: float, wanted: int) -> list[float]:
    raw = (high - low) / max(wanted, 1)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(each * power for each in ROUND_STEPS if each * power >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(place * step, 10) for place in range(first, last + 1)]


def _log_ticks(low: float, high: float, wanted: int) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in ((1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,)):
        found = [
            round(digit * 10.0**power, 10)
            for power in powers
            for digit in digits
            if low <= digit * 10.0**power <= high
        ]
        if len(found) <= wanted + 1:
            return found
    return found[:: math.ceil(len(found) / wanted)]
