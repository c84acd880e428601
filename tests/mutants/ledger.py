"""What is known of each fault beforehand: who must catch it, or why nobody does."""

from collections.abc import Mapping

NEEDS_FIELD: frozenset[str] = frozenset(
    {
        "bm25_k1_higher",
        "distinct_drawers_merged",
        "expansion_in_order_of_ingestion",
        "expansion_of_the_first_hit_only",
        "index_searched_too_narrowly",
        "letters_and_digits_joined",
        "one_correction_in_ten_not_noted",
        "only_the_first_words_kept",
        "three_percent_not_found_by_words",
        "unspaced_scripts_not_cut",
    }
)
"""Faults that the gate on the core data set cannot see, and that on field does."""

NEEDS_AGAIN: frozenset[str] = frozenset({"ties_by_random_id", "ties_differ_each_time"})
"""Faults of which the gate sees what chance brings, and a second run the rest."""

NEEDS_AB: frozenset[str] = frozenset({"search_a_fifth_slower"})
"""Faults that change no answer and take longer: only ``harness ab`` can see them."""

SURVIVORS: Mapping[str, str] = {
    "as_of_holds_at_its_end": (
        "the harness asks about instants between stamps, never at one, so that a clock "
        "that is not the daemon's own cannot decide a score; the instant itself is "
        "tested where the daemon is"
    ),
    "euclidean_instead_of_cosine": (
        "the harness sends vectors of unit length, for which the order is the same"
    ),
    "expansion_cut_to_the_page": (
        "what it cuts lies beyond rank 10, where every metric but mrr ends"
    ),
    "fusion_constant_of_twenty": (
        "it reorders hits of nearly equal worth, and no metric loses more than the "
        "0.02 that may be lost"
    ),
    "fusion_ranks_from_zero": (
        "it is k = 59 instead of 60, which gives the same order on every query"
    ),
    "neighbours_never_expanded": (
        "the contract can relate entities, and no data set has such relations"
    ),
    "vectors_not_normalised": (
        "the harness sends vectors of unit length, which need no normalising"
    ),
}
"""Faults that no gate sees, and why that is so."""


def bench_of(fault: str) -> str | None:
    """Name the first gate that catches a fault; ``None`` where none of them does."""
    if fault in SURVIVORS or fault in NEEDS_AB:
        return None
    if fault in NEEDS_AGAIN:
        return "again"
    return "field" if fault in NEEDS_FIELD else "core"
