"""What each mode makes of its candidates: scores, ties, pools and cuts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from palace.documents.constants import RECALL, RankingConstants
from palace.documents.index import FragmentFacts, FragmentIndex
from palace.documents.ranking import Ranking, Scored, stretched


def a_ranking(*texts: str, constants: RankingConstants = RECALL) -> Ranking:
    """A ranking over texts numbered from 1."""
    index = FragmentIndex(constants)
    for seq, text in enumerate(texts, start=1):
        index.add(seq, "w", "r", FragmentFacts(text, True))
    return Ranking(index, constants)


def scope(*seqs: int) -> np.typing.NDArray[np.int64]:
    return np.array(seqs, np.int64)


def seqs_of(ranking: list[Scored]) -> list[int]:
    return [scored.seq for scored in ranking]


def test_keyword_scores_are_shares_of_the_best() -> None:
    ranking = a_ranking("red apple", "red", "blue")

    got = ranking.keyword("red apple", scope(1, 2, 3), 20)

    assert seqs_of(got) == [1, 2]
    assert got[0].score == 1.0
    assert 0 < got[1].score < 1


def test_keyword_leaves_out_what_shares_no_word() -> None:
    assert a_ranking("red", "blue").keyword("green", scope(1, 2), 20) == []


def test_equal_keyword_scores_come_newest_first() -> None:
    ranking = a_ranking(*["red apple"] * 5)

    assert seqs_of(ranking.keyword("red", scope(1, 2, 3, 4, 5), 3)) == [5, 4, 3]


def test_equal_scores_come_oldest_first_if_so_configured() -> None:
    constants = replace(RECALL, tie_order="oldest")
    ranking = a_ranking(*["red apple"] * 5, constants=constants)

    assert seqs_of(ranking.keyword("red", scope(1, 2, 3, 4, 5), 3)) == [1, 2, 3]


def test_a_scan_limit_takes_the_newest_of_the_scope() -> None:
    constants = replace(RECALL, keyword_scan=2)
    ranking = a_ranking("red", "red", "red", "red", constants=constants)

    assert ranking.scanned(scope(1, 2, 4)).tolist() == [2, 4]


def test_without_a_scan_limit_all_of_the_scope_is_read() -> None:
    assert a_ranking("red", "red").scanned(scope(1, 2)).tolist() == [1, 2]


def test_a_plain_ranking_has_no_end_unless_told() -> None:
    ranking = a_ranking(*["red apple"] * 50, "blue")
    everything = np.arange(1, 52, dtype=np.int64)

    assert len(ranking.search("red", everything, None, stemming=None)) == 50
    assert len(ranking.document("red", everything, None, stemming=None)) == 50
    assert len(ranking.search("red", everything, 7, stemming=None)) == 7


def test_hybrid_adds_stretched_cosines_and_shares_of_words() -> None:
    ranking = a_ranking("red apple", "blue sky", "red sky")
    pool = [Scored(2, 0.9), Scored(1, 0.5), Scored(3, 0.4)]

    got = ranking.hybrid("red", pool, 20)

    # Cosines become 1, 0.2 and 0; the two red ones have equal length, so both get 1.
    assert seqs_of(got) == [2, 1, 3]
    assert [scored.score for scored in got] == pytest.approx([0.6, 0.52, 0.4])


def test_hybrid_knows_the_words_of_its_pool_alone() -> None:
    texts = ["red apple", "blue sky", "red sky pear"]
    pool = [Scored(2, 0.9), Scored(1, 0.5), Scored(3, 0.4)]
    alone = a_ranking(*texts).hybrid("red sky", pool, 20)

    crowded = a_ranking(*texts, *["red red red and more"] * 50)

    assert crowded.hybrid("red sky", pool, 20) == alone


def test_hybrid_keeps_what_shares_no_word() -> None:
    ranking = a_ranking("red", "blue", "green")
    pool = [Scored(1, 0.9), Scored(2, 0.5), Scored(3, 0.4)]

    got = ranking.hybrid("violet", pool, 20)

    assert seqs_of(got) == [1, 2, 3]
    assert [scored.score for scored in got] == pytest.approx([0.6, 0.12, 0.0])


def test_equal_cosines_all_count_fully() -> None:
    ranking = a_ranking("red", "blue")

    got = ranking.hybrid("red", [Scored(2, 0.5), Scored(1, 0.5)], 20)

    assert got == [Scored(1, 1.0), Scored(2, 0.6)]


def test_equal_hybrid_scores_keep_the_order_of_nearness() -> None:
    constants = replace(RECALL, hybrid_vector_weight=0.0, hybrid_keyword_weight=1.0)
    ranking = a_ranking("red", "red", "red", constants=constants)
    pool = [Scored(2, 0.9), Scored(3, 0.8), Scored(1, 0.7)]

    assert seqs_of(ranking.hybrid("red", pool, 20)) == [2, 3, 1]


def test_an_empty_pool_has_no_hits() -> None:
    assert a_ranking("red").hybrid("red", [], 20) == []


def test_hybrid_gives_at_most_its_limit() -> None:
    ranking = a_ranking("red", "red", "red")
    pool = [Scored(3, 0.9), Scored(2, 0.8), Scored(1, 0.7)]

    assert seqs_of(ranking.hybrid("red", pool, 2)) == [3, 2]


def test_one_cosine_alone_counts_fully() -> None:
    assert stretched(np.array([0.3])).tolist() == [1.0]
