"""The faults that are looked for on the recall tiers, and what must see each."""

from tests.mutants.recall_trial import Mutant

HYBRID = "document-hybrid"
VECTOR = "document-vector"
KEYWORD = "document-keyword"
RAW = "searchMemories-vector"
VECTOR_OPEN = "document-vector-failopen"
HYBRID_OPEN = "document-hybrid-failopen"

RAN = "invariant.ran.violations"
"""The proof from outside that each mode ran."""


def rows(*names: str) -> frozenset[str]:
    """Name rows to measure."""
    return frozenset(names)


def checks(*names: str) -> frozenset[str]:
    """Name checks."""
    return frozenset(names)


OPEN_ROWS = rows(VECTOR, HYBRID, KEYWORD, VECTOR_OPEN, HYBRID_OPEN)

MUTANTS = (
    # What the public bench says its gate catches, or was once bitten by.
    Mutant(
        name="pools_of_ten",
        constants={"vector_pool": 10, "hybrid_pool": 10},
        rows=rows(HYBRID, VECTOR, RAW, "long-hybrid"),
        caught_by=checks(f"{HYBRID}.ndcg@5", "long-hybrid.recall@5", RAN),
    ),
    Mutant(
        name="hits_without_a_common_word_dropped",
        rows=rows(VECTOR, RAW, "paraphrase-vector", "paraphrase-hybrid"),
        caught_by=checks(
            "paraphrase-vector.recall@5", "paraphrase-hybrid.recall@5", RAN
        ),
        spared=checks(f"{VECTOR}.recall@5"),
    ),
    Mutant(
        name="hybrid_weights_swapped",
        constants={"hybrid_vector_weight": 0.4, "hybrid_keyword_weight": 0.6},
        rows=rows(HYBRID),
        caught_by=checks(f"{HYBRID}.ndcg@5"),
        spared=checks(f"{HYBRID}.recall@5", f"{HYBRID}.minNdcgAt5"),
    ),
    Mutant(
        name="hybrid_weights_moved_up",
        constants={"hybrid_vector_weight": 0.7, "hybrid_keyword_weight": 0.3},
        rows=rows(HYBRID),
        caught_by=checks(f"{HYBRID}.recall@5", f"{HYBRID}.ndcg@5"),
        spared=checks(f"{HYBRID}.minRecallAt5", f"{HYBRID}.minNdcgAt5"),
        tier="1k",
    ),
    Mutant(
        name="hybrid_weights_moved_down",
        constants={"hybrid_vector_weight": 0.5, "hybrid_keyword_weight": 0.5},
        rows=rows(HYBRID),
        caught_by=checks(f"{HYBRID}.recall@5", f"{HYBRID}.ndcg@5", f"{HYBRID}.mrr"),
        spared=checks(f"{HYBRID}.minRecallAt5", f"{HYBRID}.minNdcgAt5"),
        tier="1k",
    ),
    Mutant(
        name="stemming_off",
        rows=rows(
            "keyword-morph-stemmed", "keyword-morph-unstemmed", "keyword-morph-nostem"
        ),
        caught_by=checks(
            "keyword-morph-stemmed.recall@5",
            "keyword-morph-stemmed.minRecallAt5",
            "stemming.minRecallLift",
            "stemming.minSameRankerLift",
        ),
    ),
    Mutant(
        name="thresholds_of_nine_tenths",
        constants={"vector_threshold": 0.9, "hybrid_threshold": 0.9},
        rows=rows(HYBRID, VECTOR, KEYWORD),
        caught_by=checks(
            f"{HYBRID}.minRecallAt5",
            f"{VECTOR}.minRecallAt5",
            f"{VECTOR}.above.{KEYWORD}",
        ),
    ),
    Mutant(
        name="keyword_scan_cut",
        constants={"keyword_scan": 30},
        rows=rows(KEYWORD, "scripts-keyword", "long-keyword"),
        caught_by=checks(
            f"{KEYWORD}.minRecallAt5",
            "scripts-keyword.minRecallAt5",
            "long-keyword.minRecallAt5",
        ),
    ),
    Mutant(
        name="fail_open_finds_nothing",
        rows=OPEN_ROWS,
        faults=("error",),
        caught_by=checks(
            f"{VECTOR_OPEN}.recall@5",
            f"{VECTOR_OPEN}.sameAs.{KEYWORD}",
            f"{HYBRID_OPEN}.sameAs.{KEYWORD}",
            "fault-error-vector.recall@5",
            RAN,
        ),
        # An empty answer is the largest drop there can be.
        spared=checks("failOpen.minObservableRecallDrop"),
    ),
    # Modes that are not what they say.
    Mutant(
        name="vector_answered_by_keyword",
        rows=rows(VECTOR, KEYWORD, RAW),
        caught_by=checks(f"{VECTOR}.minRecallAt5", f"{VECTOR}.above.{KEYWORD}", RAN),
        spared=checks(f"{VECTOR}.effective"),
    ),
    Mutant(
        name="vector_answered_by_hybrid",
        rows=rows(VECTOR, HYBRID, RAW),
        caught_by=checks(RAN),
        spared=checks(
            f"{VECTOR}.effective", f"{VECTOR}.recall@5", f"{VECTOR}.minNdcgAt5"
        ),
    ),
    Mutant(
        name="fail_open_unflagged",
        rows=OPEN_ROWS,
        faults=("error",),
        caught_by=checks(
            f"{VECTOR_OPEN}.effective",
            f"{HYBRID_OPEN}.effective",
            "fault-error-vector.degraded",
            "fault-error-hybrid.degraded",
            RAN,
        ),
        spared=checks(f"{VECTOR_OPEN}.sameAs.{KEYWORD}"),
    ),
    Mutant(
        name="fail_open_denied",
        rows=OPEN_ROWS,
        caught_by=checks(f"{VECTOR_OPEN}.effective", f"{HYBRID_OPEN}.effective", RAN),
        spared=checks(f"{VECTOR_OPEN}.sameAs.{KEYWORD}"),
    ),
    Mutant(
        name="query_vectors_cached",
        rows=OPEN_ROWS,
        caught_by=checks(
            f"{VECTOR_OPEN}.effective",
            f"{VECTOR_OPEN}.recall@5",
            "failOpen.minObservableRecallDrop",
            "failOpenHybrid.minObservableRecallDrop",
            RAN,
        ),
        spared=checks(f"{VECTOR}.recall@5", f"{HYBRID}.recall@5"),
    ),
    # Words, fragments and facts.
    Mutant(
        name="ties_oldest_first",
        constants={"tie_order": "oldest"},
        rows=rows(KEYWORD, "keyword-chat-bm25"),
        caught_by=checks(f"{KEYWORD}.recall@5", "keyword-chat-bm25.recall@5"),
    ),
    Mutant(
        name="only_a_to_z",
        rows=rows("scripts-keyword", "scripts-rank", "scripts-hybrid"),
        caught_by=checks(
            "scripts-keyword.minRecallAt5",
            "scripts-rank.minRecallAt5",
            "scripts-hybrid.minRecallAt5",
        ),
    ),
    Mutant(
        name="fragments_without_overlap",
        constants={"chunk_overlap_tokens": 0},
        rows=rows("long-hybrid", "long-vector", "long-keyword"),
        caught_by=checks(
            "long-hybrid.minRecallAt5",
            "long-keyword.minRecallAt5",
            "long-vector.recall@5",
        ),
        spared=checks("long-vector.minRecallAt5"),
    ),
    Mutant(
        name="only_the_first_fragment",
        rows=rows("long-hybrid", "long-vector", "long-keyword"),
        caught_by=checks(
            "long-hybrid.minRecallAt5",
            "long-vector.minRecallAt5",
            "long-keyword.minRecallAt5",
        ),
    ),
    Mutant(
        name="current_facts_never_fade",
        constants={"facts_tau_days": 1e9},
        rows=rows("facts-decay"),
        caught_by=checks("facts-decay.ndcg@5", "facts-decay.mrr"),
    ),
    # What is kept of what was written.
    Mutant(
        name="updates_keep_the_old_text",
        rows=rows("updates"),
        caught_by=checks("updates.minRecallAt5", "invariant.visible.violations"),
    ),
    Mutant(
        name="deletes_keep_the_fragments",
        rows=rows("deletes"),
        caught_by=checks("deletes.minRecallAt5", "invariant.visible.violations"),
    ),
    Mutant(
        name="duplicates_stored_twice",
        rows=rows("duplicates"),
        caught_by=checks("duplicates.ndcg@5", "invariant.known.violations"),
        spared=checks("duplicates.minRecallAt5"),
    ),
    Mutant(
        name="failed_ingest_half_stored",
        rows=rows(VECTOR, HYBRID, KEYWORD),
        faults=("error",),
        caught_by=checks("fault-error-vector.stored", "fault-error-hybrid.stored"),
        spared=checks("fault-error-vector.recall@5"),
    ),
    Mutant(
        name="wing_ignored",
        rows=rows(KEYWORD, "paraphrase-vector"),
        caught_by=checks("paraphrase-vector.recall@5", "invariant.in_scope.violations"),
    ),
)
