"""What one run writes and asks: the tier's corpus and every slice, each in its wing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from harness.dataset.recall.facts import facts_decay_slice, recall_facts
from harness.dataset.recall.lifecycle import (
    LifecycleSlice,
    lifecycle_slice,
    long_documents_slice,
)
from harness.dataset.recall.model import (
    FactDocument,
    RecallCorpus,
    RecallDocument,
    RecallQuery,
    Tier,
)
from harness.dataset.recall.morphology import morphology_slice
from harness.dataset.recall.paraphrase import paraphrase_slice
from harness.dataset.recall.scripts import scripts_slice
from harness.dataset.recall.tiers import recall_corpus, shuffled
from harness.measure.recall.rows import (
    DECAY,
    FACTS,
    LIFECYCLE,
    LONG,
    MAIN,
    MORPHOLOGY,
    PARAPHRASE,
    SCRIPTS,
    Row,
    rows,
)

Variant = Literal["published", "shuffled"]


@dataclass(frozen=True, slots=True)
class Material:
    """Everything to write and to ask, in order."""

    corpus: RecallCorpus
    """In the order of ingestion."""
    variant: Variant
    """Which order that is."""
    slices: Mapping[str, tuple[RecallDocument, ...]]
    """Wing to the documents of the other wings."""
    facts: Mapping[str, tuple[FactDocument, ...]]
    """Wing to its facts."""
    queries: Mapping[str, tuple[RecallQuery, ...]]
    """Wing to the queries asked of it as it was first written."""
    lifecycle: LifecycleSlice
    rows: tuple[Row, ...]
    """The rows in the order of the report."""

    def asked_by(self, row: Row) -> tuple[RecallQuery, ...]:
        """Return the queries of one row, which depend on what was changed before."""
        match row.after:
            case None:
                return self.queries[row.wing]
            case "duplicates":
                return self.lifecycle.after_duplicates
            case "updates":
                return self.lifecycle.after_updates
            case "deletes":
                return self.lifecycle.after_deletes

    @property
    def documents(self) -> int:
        """How many documents are written before the first query."""
        return len(self.corpus.documents) + sum(map(len, self.slices.values()))

    @property
    def distinct_queries(self) -> int:
        """How many queries there are, each counted once however often it is asked."""
        return len(
            {(row.wing, query.id) for row in self.rows for query in self.asked_by(row)}
        )


def material(tier: Tier, variant: Variant) -> Material:
    """Make what a run of *tier* needs: the same in every run.

    Args:
        tier: Size of the main corpus; the slices are the same in each.
        variant: Order of ingestion of the main corpus.
    """
    corpus = recall_corpus(tier)
    facts, decay, changes = recall_facts(tier), facts_decay_slice(), lifecycle_slice()
    slices = {
        MORPHOLOGY: morphology_slice(),
        PARAPHRASE: paraphrase_slice(),
        SCRIPTS: scripts_slice(),
        LONG: long_documents_slice(),
    }
    return Material(
        corpus=shuffled(corpus) if variant == "shuffled" else corpus,
        variant=variant,
        slices={
            **{wing: each.documents for wing, each in slices.items()},
            # The public bench ranks this slice in memory, where the first of two equal
            # scores stays first. A daemon has the newest first, so it gets them last.
            MORPHOLOGY: slices[MORPHOLOGY].documents[::-1],
            LIFECYCLE: changes.documents,
        },
        facts={FACTS: facts, DECAY: decay.facts},
        queries={
            MAIN: corpus.queries,
            FACTS: _of_facts(corpus, facts),
            DECAY: decay.queries,
            **{wing: each.queries for wing, each in slices.items()},
        },
        lifecycle=changes,
        rows=rows(decay.now),
    )


def _of_facts(
    corpus: RecallCorpus, facts: tuple[FactDocument, ...]
) -> tuple[RecallQuery, ...]:
    """Ask the queries of the corpus for the facts that answer them."""
    answers = {fact.answers: fact.id for fact in facts if fact.answers}
    return tuple(
        RecallQuery(query.id, query.text, (answers[query.id],), query.category)
        for query in corpus.queries
    )
