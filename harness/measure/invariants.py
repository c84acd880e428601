"""Rules that every hit of every pass must obey, at any rank, whatever the scores say.

``known``: the hit is something that was seeded. ``in_scope``: it lies in the wing and
room the query asks for. ``visible``: it held at the time the query asks for.
``repeatable``: every timed pass brought the ranking that was scored.
"""

from collections.abc import Sequence
from typing import Literal

from harness.dataset.model import Dataset, Query
from harness.measure.ties import Entry
from harness.report.model import Invariant, Violation

UNKNOWN_PREFIX = "unknown:"
"""Start of the names of hits that were not seeded."""
NOT_SEEDED = "it was not seeded by this run"
NOTHING = "(nothing)"
"""Stands for a document where a violation is about a hit that is missing."""

Rule = Literal["known", "in_scope", "visible", "repeatable", "ran"]
HIT_RULES: tuple[Rule, ...] = ("known", "in_scope", "visible")
"""The rules for single hits."""


class Findings:
    """What was checked, and what broke a rule, in the order it was found.

    The same violation in several passes is kept once; *checked* counts every pass.

    Args:
        rules: The rules to report, in this order, broken or not.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._checked = dict.fromkeys(rules, 0)
        self._violations: dict[Rule, dict[Violation, None]] = {
            rule: {} for rule in rules
        }

    def count(self, rule: Rule, checks: int) -> None:
        """Add to how often *rule* was checked."""
        self._checked[rule] += checks

    def note(self, rule: Rule, violation: Violation) -> None:
        """Keep what broke *rule*."""
        self._violations[rule][violation] = None

    def results(self) -> tuple[Invariant, ...]:
        """Return the rules with what was checked and what broke them."""
        return tuple(
            Invariant(
                name=rule, checked=checked, violations=tuple(self._violations[rule])
            )
            for rule, checked in self._checked.items()
        )


class InvariantChecks:
    """Hold every hit of every pass against the rules while the passes go by."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._findings = Findings(("known", "in_scope", "visible", "repeatable"))

    def check_hits(
        self, configuration: str, query: Query, ranking: Sequence[Entry]
    ) -> None:
        """Hold every hit of one answer against the three rules for hits."""
        for rule in HIT_RULES:
            self._findings.count(rule, len(ranking))
        for rank, entry in enumerate(ranking, start=1):
            for rule, reason in self._broken(query, entry.document):
                violation = Violation(
                    configuration=configuration,
                    query=query.id,
                    rank=rank,
                    document=entry.document,
                    reason=reason,
                )
                self._findings.note(rule, violation)

    def check_repeat(
        self,
        configuration: str,
        query: Query,
        scored: Sequence[Entry],
        again: Sequence[Entry],
    ) -> None:
        """Hold the ranking of a timed pass against the one that was scored."""
        self._findings.count("repeatable", 1)
        violation = unrepeated(configuration, query.id, scored, again)
        if violation is not None:
            self._findings.note("repeatable", violation)

    def results(self) -> tuple[Invariant, ...]:
        """Return the rules with what was checked and what broke them."""
        return self._findings.results()

    def _broken(self, query: Query, document: str) -> list[tuple[Rule, str]]:
        if document.startswith(UNKNOWN_PREFIX):
            return [("known", NOT_SEEDED)]
        broken: list[tuple[Rule, str]] = []
        if not self._dataset.in_scope(document, query.filter):
            placement = self._dataset.placement(document)
            place = f"{placement.wing}/{placement.room}" if placement else "filler"
            asked = f"{query.filter.wing or '*'}/{query.filter.room or '*'}"
            broken.append(("in_scope", f"it lies in {place}, the query asks {asked}"))
        if not self._dataset.visible(document, query.temporal):
            broken.append(("visible", f"it does not hold at {query.temporal}"))
        return broken


def unrepeated(
    configuration: str, query: str, scored: Sequence[Entry], again: Sequence[Entry]
) -> Violation | None:
    """Find the first rank at which a timed pass differs from the scored one."""
    for rank in range(1, max(len(scored), len(again)) + 1):
        was = scored[rank - 1] if rank <= len(scored) else None
        now = again[rank - 1] if rank <= len(again) else None
        if was == now:
            continue
        return Violation(
            configuration=configuration,
            query=query,
            rank=rank,
            document=now.document if now else NOTHING,
            reason=f"the scored pass had {_shown(was)} here, a timed pass "
            f"{_shown(now)}",
        )
    return None


def _shown(entry: Entry | None) -> str:
    return "nothing" if entry is None else f"{entry.document} ({entry.score})"
