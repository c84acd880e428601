"""Rules that every hit of every pass must obey, at any rank, whatever the scores say.

``known``: the hit is something that was seeded. ``in_scope``: it lies in the wing and
room the query asks for. ``visible``: it held at the time the query asks for.
``repeatable``: every timed pass brought the ranking that was scored.
"""

from collections.abc import Sequence

from harness.dataset.model import Dataset, Query
from harness.measure.ties import Entry
from harness.report.model import Invariant, Violation

UNKNOWN_PREFIX = "unknown:"
"""Start of the names of hits that were not seeded."""


class InvariantChecks:
    """Collect what breaks a rule while the passes go by.

    The same violation in several passes is kept once; *checked* counts every pass.
    """

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._hits = 0
        self._repeats = 0
        self._violations: dict[str, dict[Violation, None]] = {
            "known": {},
            "in_scope": {},
            "visible": {},
            "repeatable": {},
        }

    def check_hits(
        self, configuration: str, query: Query, ranking: Sequence[Entry]
    ) -> None:
        """Hold every hit of one answer against the three rules for hits."""
        self._hits += len(ranking)
        for rank, entry in enumerate(ranking, start=1):
            for rule, reason in self._broken(query, entry.document):
                self._note(rule, configuration, query, rank, entry.document, reason)

    def check_repeat(
        self,
        configuration: str,
        query: Query,
        scored: Sequence[Entry],
        again: Sequence[Entry],
    ) -> None:
        """Hold the ranking of a timed pass against the one that was scored."""
        self._repeats += 1
        for rank in range(1, max(len(scored), len(again)) + 1):
            was = scored[rank - 1] if rank <= len(scored) else None
            now = again[rank - 1] if rank <= len(again) else None
            if was == now:
                continue
            self._note(
                "repeatable",
                configuration,
                query,
                rank,
                now.document if now else "(nothing)",
                f"the scored pass had {_shown(was)} here, a timed pass {_shown(now)}",
            )
            return

    def results(self) -> tuple[Invariant, ...]:
        """Return the rules with what was checked and what broke them."""
        return tuple(
            Invariant(
                name=name,
                checked=self._repeats if name == "repeatable" else self._hits,
                violations=tuple(self._violations[name]),
            )
            for name in ("known", "in_scope", "visible", "repeatable")
        )

    def _broken(self, query: Query, document: str) -> list[tuple[str, str]]:
        if document.startswith(UNKNOWN_PREFIX):
            return [("known", "it was not seeded by this run")]
        broken = []
        if not self._dataset.in_scope(document, query.filter):
            placement = self._dataset.placement(document)
            place = f"{placement.wing}/{placement.room}" if placement else "filler"
            asked = f"{query.filter.wing or '*'}/{query.filter.room or '*'}"
            broken.append(("in_scope", f"it lies in {place}, the query asks {asked}"))
        if not self._dataset.visible(document, query.temporal):
            broken.append(("visible", f"it does not hold at {query.temporal}"))
        return broken

    def _note(
        self,
        rule: str,
        configuration: str,
        query: Query,
        rank: int,
        document: str,
        reason: str,
    ) -> None:
        violation = Violation(
            configuration=configuration,
            query=query.id,
            rank=rank,
            document=document,
            reason=reason,
        )
        self._violations[rule][violation] = None


def _shown(entry: Entry | None) -> str:
    return "nothing" if entry is None else f"{entry.document} ({entry.score})"
