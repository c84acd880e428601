"""Prove from outside that each row ran as its name says, and hold its hits to rules.

A daemon's own word is not enough: one that answers ``vector`` by keyword would say
whatever it must. Three things it cannot fake are looked at instead. The embedder counts
what reaches it. The vectors it serves can be made here too, so the hits of a vector
search are known. And the main corpus is built so that the modes must disagree.

``known``: the hit was written by this run. ``in_scope``: it lies in the wing that was
asked. ``visible``: it was not deleted or changed away. ``repeatable``: every timed pass
brought the ranking that was scored. ``ran``: the mode that was asked for answered.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from harness.dataset.recall.model import CUTOFF, RecallQuery
from harness.errors import DaemonError
from harness.measure.invariants import (
    NOT_SEEDED,
    NOTHING,
    UNKNOWN_PREFIX,
    Findings,
    Rule,
    unrepeated,
)
from harness.measure.recall.rows import (
    HYBRID,
    HYBRID_FAILOPEN,
    KEYWORD,
    RAW,
    VECTOR,
    VECTOR_FAILOPEN,
    Row,
)
from harness.measure.recall.watch import Reached
from harness.measure.recall.ways import Found, has_vector
from harness.measure.ties import Entry
from harness.report.model import ConfigurationResult, Invariant, Violation

RULES: tuple[Rule, ...] = ("known", "in_scope", "visible", "repeatable", "ran")

ZERO_VECTOR = "memcastle::embed::zero_vector"
"""The code for a query that the model sees nothing in: no fault of anybody."""
CODES = "memcastle::embed::"
"""How every code for falling open starts."""

ALL = "(all)"
"""Stands for a query where a violation is about all of a row's."""
NO_HIT = (0, NOTHING)
"""Rank and document where a violation is about no single hit."""

MUST_DIFFER = ((VECTOR, KEYWORD), (HYBRID, KEYWORD), (HYBRID, VECTOR))
"""Rows of the main corpus that cannot rank most queries alike, hit by hit."""
MUST_AGREE = ((VECTOR_FAILOPEN, KEYWORD), (HYBRID_FAILOPEN, KEYWORD))
"""Rows that must rank every query alike: what fell open is a keyword search."""


@dataclass(frozen=True, slots=True)
class Checks:
    """Collect what breaks a rule while the rows go by.

    Args:
        trigrams: Whether the embedder serves the trigram model, so that it is known
            which queries have no vector.
    """

    trigrams: bool
    findings: Findings = field(default_factory=lambda: Findings(RULES))

    def hits(
        self,
        row: Row,
        query: RecallQuery,
        ranking: Sequence[Entry],
        wings: Sequence[str | None],
    ) -> None:
        """Hold every hit of one answer against the rules for hits.

        Args:
            row: How it was asked.
            query: What was asked.
            ranking: The documents, best first.
            wings: The wing each was written to; ``None`` where nobody wrote it.
        """
        for rule in ("known", "in_scope"):
            self.findings.count(rule, len(ranking))
        if query.absent:
            self.findings.count("visible", len(ranking))
        for rank, (entry, wing) in enumerate(zip(ranking, wings, strict=True), start=1):
            if entry.document.startswith(UNKNOWN_PREFIX):
                self._note("known", row, query, NOT_SEEDED, (rank, entry.document))
            elif wing != row.wing:
                reason = f"it lies in wing {wing!r}, the query asks {row.wing!r}"
                self._note("in_scope", row, query, reason, (rank, entry.document))
            elif entry.document in query.absent and _is_wrong(row, rank):
                reason = "it was deleted, or its answer was changed away"
                self._note("visible", row, query, reason, (rank, entry.document))

    def repeat(
        self,
        row: Row,
        query: RecallQuery,
        scored: Sequence[Entry],
        again: Sequence[Entry],
    ) -> None:
        """Hold the ranking of a timed pass against the one that was scored."""
        self.findings.count("repeatable", 1)
        violation = unrepeated(row.name, query.id, scored, again)
        if violation is not None:
            self.findings.note("repeatable", violation)

    def told(self, row: Row, query: RecallQuery, found: Found) -> None:
        """Hold what the daemon says of one answer against what was asked."""
        self.findings.count("ran", 1)
        if found.mode is not None and found.mode != row.way.mode:
            reason = f"{row.way.mode!r} was asked for, {found.mode!r} was understood"
            self._note("ran", row, query, reason)
        code = found.degraded
        empty = row.way.embeds and not row.fails and self._is_empty(query, code)
        opens = empty or row.fails
        wanted = "keyword" if opens else row.way.mode
        if found.effective != wanted:
            reason = f"{found.effective!r} ran ({code or 'no code'}), not {wanted!r}"
            self._note("ran", row, query, reason)
        elif empty and code != ZERO_VECTOR:
            reason = f"the query has no vector, and the code is {code!r}"
            self._note("ran", row, query, reason)
        elif opens and not (code or "").startswith(CODES):
            reason = f"it fell open, and the code is {code!r}"
            self._note("ran", row, query, reason)
        elif not opens and code is not None:
            self._note("ran", row, query, f"it fell open ({code}) without a fault")

    def reached(self, row: Row, query: RecallQuery, reached: Reached) -> None:
        """Hold what reached the embedder for one query against what the row needs."""
        self.findings.count("ran", 1)
        requests, inputs = reached
        if row.fails:
            # Every attempt counts, and a daemon may make several.
            if not requests:
                reason = "no request reached the failing embedder"
                self._note("ran", row, query, reason)
            return
        wanted = int(row.way.embeds)
        if inputs != wanted:
            reason = f"{inputs} texts reached the embedder for it, not {wanted}"
            self._note("ran", row, query, reason)

    def timed(self, row: Row, queries: Sequence[RecallQuery], reached: Reached) -> None:
        """Hold a timed pass to the same: a cached vector would flatter its latency."""
        self.findings.count("ran", 1)
        wanted = len(queries) if row.way.embeds else 0
        if not row.fails and reached.inputs != wanted:
            reason = (
                f"{reached.inputs} texts reached the embedder in a timed pass of "
                f"{len(queries)} queries, not {wanted}"
            )
            self._named("ran", row.name, ALL, reason)

    def between(self, results: Sequence[ConfigurationResult], threshold: float) -> None:
        """Hold the rows of the main corpus against each other.

        Args:
            results: All rows; those that were not measured prove nothing.
            threshold: The least score of a hit of the vector mode.
        """
        measured = {each.name: each for each in results if each.skip_reason is None}
        for left, right in MUST_DIFFER:
            if left in measured and right in measured:
                self._differ(measured[left], measured[right])
        for left, right in MUST_AGREE:
            if left in measured and right in measured:
                self._agree(measured[left], measured[right])
        if VECTOR in measured and RAW in measured:
            self._agree(measured[VECTOR], measured[RAW], least=threshold)

    def failed(self, name: str, query: RecallQuery, error: DaemonError) -> None:
        """Note a search that failed where it had to fall open."""
        self.findings.count("ran", 1)
        reason = f"it failed instead of falling open: {error.what}"
        self._named("ran", name, query.id, reason)

    def alike(
        self,
        name: str,
        query: str,
        found: Sequence[str],
        wanted: Sequence[str],
        than: str,
    ) -> None:
        """Hold one ranking against another that it must equal.

        Args:
            name: The row of *found*.
            query: The query of both.
            found: Documents, best first.
            wanted: Documents, best first.
            than: What *wanted* is, in words.
        """
        self.findings.count("ran", 1)
        rank = _parting(found, wanted)
        if rank is None:
            return
        there = found[rank - 1] if rank <= len(found) else NOTHING
        other = wanted[rank - 1] if rank <= len(wanted) else NOTHING
        reason = f"{than} has {other} here, and both must rank alike"
        self._named("ran", name, query, reason, (rank, there))

    def results(self) -> tuple[Invariant, ...]:
        """Return the rules with what was checked and what broke them."""
        return self.findings.results()

    def _is_empty(self, query: RecallQuery, code: str | None) -> bool:
        """Tell whether a query has the zero vector; of other models, take its word."""
        return not has_vector(query) if self.trigrams else code == ZERO_VECTOR

    def _differ(self, left: ConfigurationResult, right: ConfigurationResult) -> None:
        ours, theirs = documents_of(left), documents_of(right)
        self.findings.count("ran", len(ours))
        alike = [query for query, found in ours.items() if found == theirs.get(query)]
        # Two modes may agree on a query; on most of them only one mode does.
        if 2 * len(alike) <= len(ours):
            return
        for query in alike:
            reason = f"it is ranked as in {right.name}: one mode ran for both"
            self._named("ran", left.name, query, reason)

    def _agree(
        self,
        left: ConfigurationResult,
        right: ConfigurationResult,
        *,
        least: float | None = None,
    ) -> None:
        wanted = documents_of(right, least)
        for query, found in documents_of(left).items():
            self.alike(left.name, query, found, wanted.get(query, ()), right.name)

    def _note(
        self,
        rule: Rule,
        row: Row,
        query: RecallQuery,
        reason: str,
        hit: tuple[int, str] = NO_HIT,
    ) -> None:
        self._named(rule, row.name, query.id, reason, hit)

    def _named(
        self,
        rule: Rule,
        name: str,
        query: str,
        reason: str,
        hit: tuple[int, str] = NO_HIT,
    ) -> None:
        rank, document = hit
        violation = Violation(
            configuration=name,
            query=query,
            rank=rank,
            document=document,
            reason=reason,
        )
        self.findings.note(rule, violation)


def _is_wrong(row: Row, rank: int) -> bool:
    """A changed document may still be near a query, a deleted one is nowhere."""
    return row.after == "deletes" or not row.way.embeds or rank <= CUTOFF


def documents_of(
    result: ConfigurationResult, least: float | None = None
) -> dict[str, tuple[str, ...]]:
    """Return the documents of each query, best first.

    Args:
        result: A row.
        least: Leave out hits that score less.
    """
    return {
        ranking.query: tuple(
            hit.document
            for hit in ranking.hits
            if least is None or (hit.score is not None and hit.score >= least)
        )
        for ranking in result.rankings
    }


def _parting(found: Sequence[str], expected: Sequence[str]) -> int | None:
    """Return the first rank at which the two differ; ``None`` where none does."""
    for rank in range(1, max(len(found), len(expected)) + 1):
        if found[rank - 1 : rank] != expected[rank - 1 : rank]:
            return rank
    return None
