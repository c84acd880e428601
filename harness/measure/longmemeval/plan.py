"""What a run measures, and everything that makes two runs the same one."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from harness import __version__
from harness.dataset.longmemeval.errata import Errata
from harness.dataset.longmemeval.policies import GoldPolicy, Policies
from harness.dataset.longmemeval.releases import FileFacts
from harness.measure.official import CUTOFFS
from harness.report.longmemeval import Isolation

DEPTH = CUTOFFS[-1]
"""Hits asked for: as deep as the deepest official cut-off."""

Fingerprint = Mapping[str, str | int | bool | None]

GOLDS: tuple[GoldPolicy, ...] = ("answer_session_ids", "any_turn", "user_turn")


def comparable(policies: Policies) -> dict[GoldPolicy, Policies]:
    """Return the policies under each gold policy that is scored in the same ids.

    One run gives the figures of all of them. Where turns are scored, what is gold by
    sessions cannot be told from the same ranking, and the other way round.
    """
    under = {gold: replace(policies, gold=gold) for gold in GOLDS}
    return {
        gold: each
        for gold, each in under.items()
        if each.scores_sessions == policies.scores_sessions
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """The embedding model of a run."""

    name: str
    dimension: int
    oversize: str
    """The rule for texts that are too long for it."""
    endpoint: str = ""
    """Who serves it, by host, port and path: two may give one name to two models."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LongMemEvalPlan:
    """A run, before anything is started; plain data that may travel to a worker."""

    path: Path
    file: FileFacts
    questions: int
    """How many are read, from the first."""
    limit: int | None = None
    """What was asked for; the file may hold fewer."""
    policies: Policies = field(default_factory=Policies)
    isolation: Isolation = "wing"
    errata: Errata | None = None
    model: Model | None = None
    """Without one, lexical search is measured alone."""
    allow_nonempty: bool = False
    timeout_s: float = 120.0
    """Most seconds one request may take; one may write a whole haystack."""

    def fingerprint(self) -> Fingerprint:
        """Return what is fixed before a daemon is met; a journal is of one of these."""
        model, errata = self.model, self.errata
        return {
            "file": self.file.sha256,
            "questions": self.questions,
            "text": self.policies.text,
            "gold": self.policies.gold,
            "granularity": self.policies.granularity,
            "abstention": self.policies.abstention,
            "isolation": self.isolation,
            "depth": DEPTH,
            "errata": errata.sha256 if errata else None,
            "model": model.name if model else None,
            "dimension": model.dimension if model else None,
            "oversize": model.oversize if model else None,
            "endpoint": model.endpoint if model else None,
            "harness": __version__,
        }

    def journal_name(self, target: str = "") -> str:
        """Name the journal so that the same command finds it again.

        Args:
            target: What else tells this command from others, a daemon's address.
        """
        settings = json.dumps([self.fingerprint(), target], sort_keys=True)
        digest = hashlib.sha256(settings.encode()).hexdigest()
        return f"longmemeval-{self.file.sha256[:12]}-{digest[:8]}.journal.jsonl"
