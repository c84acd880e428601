"""The accepted baselines against the figures that recall-bench published."""

from pathlib import Path

import orjson
import pytest

BASELINES = Path(__file__).resolve().parents[2] / "baselines"

PUBLISHED_1K = {
    "document-hybrid": (0.950, 0.957264, 0.9875),
    "document-vector": (0.965, 0.973855, 1),
    "document-keyword": (0.370, 0.422454, 0.6667),
    "searchMemories-vector": (0.965, 0.973855, 1),
    "keyword-chat-bm25": (0.510, 0.547258, 0.7675),
    "facts-provider-keyword": (1, 1, 1),
    "keyword-morph-stemmed": (1, 1, 1),
    "keyword-morph-unstemmed": (0.050, 0.036332, 0.0917),
    "document-vector-failopen": (0.370, 0.422454, 0.6667),
}
"""Mode to recall@5, ndcg@5 and mrr, as the public bench's own baseline has them."""


def rows_of(name: str) -> dict[str, dict[str, float]]:
    """Read an accepted baseline; mode to its row."""
    content = orjson.loads((BASELINES / name).read_bytes())
    return {row["mode"]: row for row in content["modes"]}


@pytest.mark.parametrize("mode", PUBLISHED_1K)
def test_1k_baseline_has_the_published_figures(mode: str) -> None:
    row = rows_of("recall-1k.json")[mode]
    recall, ndcg, mrr = PUBLISHED_1K[mode]
    assert row["recallAtK"] == pytest.approx(recall, abs=1e-9)
    assert row["ndcgAtK"] == pytest.approx(ndcg, abs=5e-7)
    assert row["mrr"] == pytest.approx(mrr, abs=5e-5)


def test_published_rows_come_first_and_in_their_order() -> None:
    for name in ("recall-smoke.json", "recall-1k.json", "recall-10k.json"):
        assert list(rows_of(name))[: len(PUBLISHED_1K)] == list(PUBLISHED_1K)


def test_shuffling_moves_what_hangs_on_order_and_nothing_else() -> None:
    published, shuffled = rows_of("recall-1k.json"), rows_of("recall-1k-shuffled.json")
    moved = {
        mode
        for mode in PUBLISHED_1K
        if published[mode]["ndcgAtK"] != shuffled[mode]["ndcgAtK"]
    }
    assert moved == {
        "document-keyword",
        "keyword-chat-bm25",
        "document-vector-failopen",
    }


def test_old_documents_stay_visible_to_keyword_search_at_10k() -> None:
    # A scan of the newest 1,000 sees noise alone there, and finds nothing.
    assert rows_of("recall-10k.json")["document-keyword"]["recallAtK"] == 0.425
