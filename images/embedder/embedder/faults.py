"""The faults, and the switch that says which one is on."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeGuard, get_args

from embedder.errors import Refused

Kind = Literal[
    "ok",
    "error",
    "refuse",
    "slow",
    "timeout",
    "rate_limited",
    "wrong_dimension",
    "nan",
    "garbage",
    "half",
]

_KINDS: Final[tuple[str, ...]] = get_args(Kind)
_SPELLINGS: Final = ("NaN", "null")

# Longer than the patience of a search, shorter than that of a batch job.
_SLOW_S: Final = 3.0
# No client of ours waits as long; without an end, a leaked connection would stay.
_HANG_S: Final = 300.0
_LONGEST_S: Final = 3600.0
_RETRY_AFTER_S: Final = 1


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens to requests; fields that a kind has no use for are None."""

    kind: Kind = "ok"
    delay_s: float | None = None
    """`slow`: until the right answer. `timeout`: until the connection is cut."""
    retry_after_s: int | None = None
    """`rate_limited`: what the header says, in whole seconds."""
    spelling: str | None = None
    """`nan`: how JSON has it, `NaN` (which is no object) or `null`."""
    times: int | None = None
    """Requests that still meet it, after which all is well; None: no end."""

    def shown(self) -> dict[str, object]:
        """Return it as the control port's JSON has it."""
        return {
            "kind": self.kind,
            "delay_s": self.delay_s,
            "retry_after_s": self.retry_after_s,
            "spelling": self.spelling,
            "times": self.times,
        }


def parse_fault(value: object) -> Fault:
    """Read the body of a switch; null stands for a field left out.

    Raises:
        Refused: With status 400, naming the field.
    """
    if not isinstance(value, dict):
        raise Refused(400, "The body is not a JSON object with a `kind`.")
    kind = value.get("kind")
    if not _is_kind(kind):
        wanted = ", ".join(_KINDS)
        raise _wrong("kind", f"{kind!r:.80} is not one of {wanted}")
    given = {
        name: each
        for name, each in value.items()
        if name != "kind" and each is not None
    }
    fault = Fault(
        kind,
        delay_s=_delay_s(kind, given.pop("delay_s", None)),
        retry_after_s=_retry_after_s(kind, given.pop("retry_after_s", None)),
        spelling=_spelling(kind, given.pop("spelling", None)),
        times=_times(kind, given.pop("times", None)),
    )
    for name in given:
        raise _wrong(str(name)[:80], "there is no such field")
    return fault


class Switch:
    """Holds the fault that is on; a change is for requests that arrive after it."""

    def __init__(self) -> None:
        self._fault = Fault()
        self._release = asyncio.Event()

    @property
    def fault(self) -> Fault:
        """The fault that the next request will meet."""
        return self._fault

    def turn(self, fault: Fault) -> None:
        """Put *fault* in force, and let go of all that hang."""
        self._fault = fault
        self._release.set()
        self._release = asyncio.Event()

    def meet(self) -> tuple[Fault, asyncio.Event]:
        """Return the fault of a request that has arrived, and what ends its hanging.

        A fault that was for so many requests is over after the last of them; those
        that hang by then go on hanging.
        """
        fault = self._fault
        if fault.times is not None:
            left = fault.times - 1
            self._fault = replace(fault, times=left) if left else Fault()
        return fault, self._release


def _is_kind(value: object) -> TypeGuard[Kind]:
    return isinstance(value, str) and value in _KINDS


def _delay_s(kind: Kind, value: object) -> float | None:
    default = {"slow": _SLOW_S, "timeout": _HANG_S}.get(kind)
    if value is None:
        return default
    if default is None:
        raise _wrong("delay_s", f"the fault {kind!r} does not wait")
    # True would pass for 1; NaN is within nothing.
    if (type(value) is int or type(value) is float) and 0 <= value <= _LONGEST_S:
        return float(value)
    raise _wrong("delay_s", f"{value!r:.80} is not 0 to {_LONGEST_S:g} seconds")


def _retry_after_s(kind: Kind, value: object) -> int | None:
    if kind != "rate_limited":
        if value is not None:
            raise _wrong("retry_after_s", f"the fault {kind!r} sends no Retry-After")
        return None
    if value is None:
        return _RETRY_AFTER_S
    if type(value) is float and value.is_integer():
        value = int(value)
    if type(value) is not int or not 0 <= value <= _LONGEST_S:
        raise _wrong(
            "retry_after_s",
            f"{value!r:.80} is not 0 to {_LONGEST_S:g}, in whole seconds as the header"
            " has them",
        )
    return value


def _spelling(kind: Kind, value: object) -> str | None:
    if kind != "nan":
        if value is not None:
            raise _wrong("spelling", f"the fault {kind!r} writes numbers as they are")
        return None
    if value is None:
        return _SPELLINGS[0]
    if not isinstance(value, str) or value not in _SPELLINGS:
        raise _wrong("spelling", f"{value!r:.80} is not one of {', '.join(_SPELLINGS)}")
    return value


def _times(kind: Kind, value: object) -> int | None:
    if value is None:
        return None
    if kind in ("ok", "refuse"):
        # Nobody sees a connection that the system turns away.
        raise _wrong("times", f"the fault {kind!r} cannot be counted down")
    if type(value) is not int or value < 1:
        raise _wrong("times", f"{value!r:.80} is not a whole number of at least 1")
    return value


def _wrong(field: str, what: str) -> Refused:
    return Refused(400, f"`{field}`: {what}.", param=field)
