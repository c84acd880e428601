"""What the gates did about every fault, for a terminal and for the documentation."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.mutants.catalogue import Fault
from tests.mutants.trial import Look

FINDING_WIDTH = 110


@dataclass(frozen=True)
class Outcome:
    """What the benches made of one fault.

    Attributes:
        fault: What was planted.
        looks: What each bench saw, in the order in which they were asked.
        reason: Why none is expected to catch it; empty where one must.
    """

    fault: Fault
    looks: tuple[Look, ...]
    reason: str = ""

    @property
    def is_caught(self) -> bool:
        """Tell whether a gate turned red."""
        return any(look.sight for look in self.looks)

    @property
    def is_as_listed(self) -> bool:
        """Tell whether it was caught, or survived for a reason that is written down."""
        return self.is_caught != bool(self.reason)

    def mark(self, bench: str) -> str:
        """Say what a bench made of it; empty where it was not asked."""
        return next((_mark(look) for look in self.looks if look.bench == bench), "")

    def finding(self) -> str:
        """Give the first failing finding, or why there is none."""
        for look in self.looks:
            if look.sight is not None:
                return look.sight.text
        notes = [look.note for look in self.looks if look.note]
        return self.reason or " ".join(notes) or "nobody has said why"


def line(outcome: Outcome) -> str:
    """Write one outcome for a terminal, on two lines."""
    marks = ", ".join(f"{look.bench}: {_mark(look)}" for look in outcome.looks)
    word = "caught" if outcome.is_caught else "SURVIVES"
    if not outcome.is_caught and outcome.reason:
        word = "listed"
    found = _cut(outcome.finding())
    return f"{word:<9}{outcome.fault.mutant:<42} {marks}\n         {found}"


def summary(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Write the detection rate, and what is not as it is listed."""
    caught = [outcome for outcome in outcomes if outcome.is_caught]
    yield f"Caught: {rate(len(caught), len(outcomes))}."
    benches = {look.bench: None for outcome in outcomes for look in outcome.looks}
    for bench in benches:
        sights = [
            look.sight
            for outcome in outcomes
            for look in outcome.looks
            if look.bench == bench
        ]
        seen = sum(sight is not None for sight in sights)
        yield f"  {bench}: {seen} of the {len(sights)} it was asked about."
    for outcome in outcomes:
        if outcome.is_as_listed:
            continue
        if outcome.is_caught:
            yield f"NOT AS LISTED: {outcome.fault.name} is a listed survivor: caught."
        else:
            yield f"SURVIVES: {outcome.fault.name}, and no reason is listed."


def rate(part: int, whole: int) -> str:
    """Write a share with its counts."""
    return f"{part} of {whole} ({part / whole:.1%})" if whole else "0 of 0"


def markdown(outcomes: Sequence[Outcome]) -> str:
    """Write the table of the documentation, a row a fault."""
    benches = list({look.bench: None for each in outcomes for look in each.looks})
    head = ["fault", "what the daemon then does", *benches, "found first"]
    rows = [head, ["---"] * len(head)]
    rows += [
        [
            f"`{outcome.fault.mutant}`",
            outcome.fault.does,
            *(outcome.mark(bench) for bench in benches),
            _cut(outcome.finding()) if outcome.is_caught else "survives",
        ]
        for outcome in outcomes
    ]
    return "\n".join(f"| {' | '.join(map(_cell, row))} |" for row in rows)


def _mark(look: Look) -> str:
    if look.sight is not None:
        return look.sight.way.value
    return f"{look.moved} moved" if look.moved else "-"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _cut(text: str) -> str:
    whole = " ".join(text.split())
    return whole if len(whole) <= FINDING_WIDTH else f"{whole[: FINDING_WIDTH - 3]}..."
