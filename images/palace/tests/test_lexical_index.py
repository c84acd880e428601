"""The index against the formula, written out the slow way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palace.lexical import LexicalIndex, LexicalResult, Match

Corpus = Mapping[int, Sequence[str]]


def bm25(corpus: Corpus, query: Sequence[str], seqs: Sequence[int]) -> dict[int, float]:
    """Score documents straight from the formula."""
    average = sum(len(document) for document in corpus.values()) / len(corpus)
    wanted = sorted(set(query))
    n_with = {
        term: sum(term in document for document in corpus.values()) for term in wanted
    }
    scores = {}
    for seq in seqs:
        norm = 1.2 * (1 - 0.75 + 0.75 * len(corpus[seq]) / average)
        scores[seq] = 0.0
        for term in wanted:
            tf = corpus[seq].count(term)
            n = n_with[term]
            idf = log(1 + (len(corpus) - n + 0.5) / (n + 0.5))
            scores[seq] += idf * tf * (1.2 + 1) / (tf + norm)
    return scores


def matching(
    corpus: Corpus, query: Sequence[str], scope: Sequence[int], match: Match
) -> tuple[list[int], str]:
    """Find the documents of a scope that match, and how."""
    wanted = set(query)
    every = [seq for seq in scope if wanted and wanted <= set(corpus[seq])]
    some = [seq for seq in scope if wanted & set(corpus[seq])]
    if match != "any" and every:
        return every, "all"
    if some and (match == "any" or (match == "all_then_any" and len(wanted) > 1)):
        return some, "any"
    return [], "none"


def assert_ranked(
    got: LexicalResult,
    corpus: Corpus,
    query: Sequence[str],
    scope: Sequence[int],
    limit: int,
    match: Match,
) -> None:
    """Compare with the formula: members, scores, order and cut."""
    seqs, how = matching(corpus, query, scope, match)
    assert got.matched == how
    wanted = bm25(corpus, query, seqs) if seqs else {}
    assert len(got.hits) == min(limit, len(wanted))
    for seq, score in got.hits:
        assert score == pytest.approx(wanted[seq], rel=1e-9, abs=1e-9)
    assert got.hits == sorted(got.hits, key=lambda hit: (-hit[1], hit[0]))
    hits = dict(got.hits)
    assert len(hits) == len(got.hits)
    if got.hits:
        last_seq, last_score = got.hits[-1]
        for seq in wanted.keys() - hits.keys():
            assert wanted[seq] <= last_score + 1e-9
            if Counter(corpus[seq]) == Counter(corpus[last_seq]):
                assert seq > last_seq


WORDS = st.sampled_from("abcdefgh")
DOCUMENTS = st.lists(st.lists(WORDS, max_size=8), min_size=1, max_size=40)


@settings(max_examples=200, deadline=None)
@given(DOCUMENTS, DOCUMENTS, st.data())
def test_search_is_bm25_after_any_history(
    first: list[list[str]], later: list[list[str]], data: st.DataObject
) -> None:
    seqs = data.draw(st.permutations(range(10, 10 + len(first) + len(later))))
    documents = dict(zip(seqs, first + later, strict=True))
    index = LexicalIndex()
    index.extend((seq, documents[seq]) for seq in seqs[: len(first)])
    removed = data.draw(st.sets(st.sampled_from(seqs[: len(first)])))
    for seq in sorted(removed):
        index.remove(seq)
    for seq in seqs[len(first) :]:
        index.add(seq, documents[seq])
    corpus = {seq: documents[seq] for seq in seqs if seq not in removed}
    is_open = data.draw(
        st.none() | st.lists(st.booleans(), min_size=len(seqs), max_size=len(seqs))
    )
    allowed = None if is_open is None else np.array(is_open, dtype=np.bool_)
    scope = [
        seq
        for seq, inside in zip(seqs, is_open or [True] * len(seqs), strict=True)
        if inside and seq in corpus
    ]

    for match in get_args(Match):
        query = data.draw(st.lists(WORDS | st.just("unknown"), max_size=5))
        limit = data.draw(st.integers(1, 6))
        got = index.search(query, limit=limit, allowed=allowed, match=match)
        assert_ranked(got, corpus, query, scope, limit, match)


@pytest.mark.parametrize("match", get_args(Match))
@pytest.mark.parametrize("share", [1.0, 0.05])
def test_long_postings_are_bm25_too(match: Match, share: float) -> None:
    rng = np.random.default_rng(7)
    ranks = np.minimum(rng.zipf(1.3, (3_000, 12)), 400)
    corpus = {
        seq: [f"w{rank}" for rank in row[: rng.integers(3, 13)]]
        for seq, row in enumerate(ranks.tolist())
    }
    index = LexicalIndex()
    index.extend(corpus.items())
    allowed = rng.random(len(corpus)) < share
    scope = np.flatnonzero(allowed).tolist()

    for query in (["w1"], ["w1", "w2"], ["w1", "w30"], ["w2", "w3", "w5", "w200"]):
        got = index.search(query, limit=10, allowed=allowed, match=match)
        assert_ranked(got, corpus, query, scope, 10, match)


def test_uneven_documents_are_bm25_too() -> None:
    # Long documents with a rare word against short ones that repeat a common word:
    # there the most a word can give lies far from what it does give.
    rng = np.random.default_rng(13)
    for _ in range(300):
        corpus = {
            seq: [
                f"w{rank}" for rank in np.minimum(rng.zipf(1.4, rng.integers(1, 40)), 9)
            ]
            for seq in range(int(rng.integers(5, 40)))
        }
        index = LexicalIndex()
        index.extend(corpus.items())
        query = [f"w{rank}" for rank in rng.integers(1, 10, 4)]
        limit = int(rng.integers(1, 5))
        got = index.search(query, limit=limit, match="any")
        assert_ranked(got, corpus, query, list(corpus), limit, "any")


def test_score_is_the_hand_computed_one() -> None:
    index = LexicalIndex()
    index.extend([(1, ["cat", "cat", "dog"]), (2, ["dog"])])

    [(seq, score)] = index.search(["cat"], limit=1).hits

    # idf = ln(1 + 1.5 / 1.5) = ln 2; tf 2, length 3, mean length 2.
    assert seq == 1
    assert score == pytest.approx(0.6931471806 * 2 * 2.2 / (2 + 1.2 * (0.25 + 1.125)))


@given(st.lists(WORDS, min_size=1, max_size=8), st.data())
def test_identical_documents_tie_to_the_bit_and_stand_in_order_of_number(
    words: list[str], data: st.DataObject
) -> None:
    index = LexicalIndex()
    index.add(99, ["a", "b", "c", "x", "y", "z"])
    for seq in (7, 3, 5, 1):
        index.add(seq, data.draw(st.permutations(words)))

    hits = index.search(words, limit=4, match="any").hits

    assert [seq for seq, _ in hits] == [1, 3, 5, 7]
    assert len({score for _, score in hits}) == 1


def test_every_path_gives_the_same_bits() -> None:
    rng = np.random.default_rng(11)
    documents = [
        [f"w{rank}" for rank in row] for row in rng.integers(0, 30, (500, 9)).tolist()
    ]
    index = LexicalIndex()
    index.extend(enumerate(documents))
    query = ["w1", "w2", "w3"]

    everything = dict(index.search(query, limit=500, match="any").hits)
    page = index.search(query, limit=5, match="any").hits
    strict = index.search(query, limit=500, match="all").hits

    assert all(everything[seq] == score for seq, score in [*page, *strict])
    assert strict
    assert page == sorted(everything.items(), key=lambda hit: (-hit[1], hit[0]))[:5]


def test_order_of_query_terms_and_their_repeats_do_not_matter() -> None:
    rng = np.random.default_rng(17)
    index = LexicalIndex()
    index.extend(
        (seq, [f"w{rank}" for rank in row])
        for seq, row in enumerate(rng.integers(0, 12, (300, 9)).tolist())
    )
    query = ["w1", "w2", "w3", "w4"]

    for match in get_args(Match):
        wanted = index.search(query, limit=300, match=match)
        for _ in range(10):
            shuffled = rng.permutation([*query, "w3", "w3"]).tolist()
            assert index.search(shuffled, limit=300, match=match) == wanted


def test_only_the_earliest_of_many_ties_stay() -> None:
    index = LexicalIndex()
    index.extend((seq, ["same", "words"]) for seq in range(5_000, 0, -1))

    assert [seq for seq, _ in index.search(["same"], limit=3).hits] == [1, 2, 3]


def test_a_document_is_found_by_the_next_search() -> None:
    index = LexicalIndex()
    for seq in range(50):
        index.add(seq, ["word", f"own{seq}"])

        assert index.search([f"own{seq}"], limit=1).hits[0][0] == seq


def test_one_by_one_and_at_once_give_the_same_index() -> None:
    documents = [(seq, ["a"] * (seq % 3) + ["b"] * (seq % 5)) for seq in range(40)]
    one_by_one, at_once = LexicalIndex(), LexicalIndex()
    for seq, terms in documents:
        one_by_one.add(seq, terms)
    at_once.extend(documents)

    for query in (["a"], ["b"], ["a", "b"]):
        got = one_by_one.search(query, limit=40)
        assert got == at_once.search(query, limit=40)


def test_any_word_serves_only_when_no_document_has_every_word() -> None:
    index = LexicalIndex()
    index.extend([(1, ["a", "b"]), (2, ["a"])])

    assert index.search(["a", "b"], limit=9).matched == "all"
    assert index.search(["a", "c"], limit=9).matched == "any"
    assert len(index.search(["a", "c"], limit=9).hits) == 2
    assert index.search(["a", "c"], limit=9, match="all") == ([], "none")


def test_one_word_is_never_retried() -> None:
    index = LexicalIndex()
    index.add(1, ["a"])

    assert index.search(["c", "c"], limit=9) == ([], "none")


def test_scope_is_applied_before_deciding_that_every_word_matched() -> None:
    index = LexicalIndex()
    index.extend([(1, ["a", "b"]), (2, ["a"])])

    got = index.search(["a", "b"], limit=9, allowed=np.array([False, True]))

    assert [seq for seq, _ in got.hits] == [2]
    assert got.matched == "any"


def test_statistics_cover_everything_whatever_the_scope() -> None:
    index = LexicalIndex()
    index.extend([(1, ["a"]), (2, ["a", "b"]), (3, ["c"])])

    everywhere = dict(index.search(["a"], limit=9).hits)
    [(seq, score)] = index.search(
        ["a"], limit=9, allowed=np.array([False, True, False])
    ).hits

    assert score == everywhere[seq]


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS, DOCUMENTS, st.lists(WORDS, max_size=5), st.integers(1, 6))
def test_scoped_statistics_make_a_scope_an_index_of_its_own(
    inside: list[list[str]], outside: list[list[str]], query: list[str], limit: int
) -> None:
    shared, alone = LexicalIndex(), LexicalIndex()
    # Mixed, and some of the strangers removed again: neither may move a bit.
    for place in range(max(len(inside), len(outside))):
        if place < len(outside):
            shared.add(1000 + place, outside[place])
        if place < len(inside):
            shared.add(place, inside[place])
            alone.add(place, inside[place])
    shared.remove(1000)
    allowed = np.array([shared.seq_of(row) < 1000 for row in range(shared.n_rows)])

    for match in get_args(Match):
        got = shared.search(
            query, limit=limit, allowed=allowed, match=match, scoped=True
        )
        assert got == alone.search(query, limit=limit, match=match)


def test_a_scope_without_documents_answers_nothing_of_its_own() -> None:
    index = LexicalIndex()
    index.extend([(1, ["a"]), (2, ["b"])])

    got = index.search(["a"], limit=9, allowed=np.array([False, True]), scoped=True)

    assert got == LexicalResult([], "none")


def test_rows_after_the_scope_was_taken_are_outside() -> None:
    index = LexicalIndex()
    index.add(1, ["a"])
    allowed = np.ones(index.n_rows, dtype=np.bool_)
    index.add(2, ["a"])

    assert [seq for seq, _ in index.search(["a"], limit=9, allowed=allowed).hits] == [1]


def test_scope_may_be_longer_than_the_rows() -> None:
    index = LexicalIndex()
    index.add(1, ["a"])

    got = index.search(["a"], limit=9, allowed=np.ones(64, dtype=np.bool_))

    assert [seq for seq, _ in got.hits] == [1]


def test_removed_documents_leave_results_and_statistics() -> None:
    with_removal, without = LexicalIndex(), LexicalIndex()
    with_removal.extend([(1, ["a", "b"]), (2, ["a"] * 9), (3, ["b"])])
    with_removal.remove(2)
    without.extend([(1, ["a", "b"]), (3, ["b"])])

    for query in (["a"], ["b"], ["a", "b"]):
        got = with_removal.search(query, limit=9)
        assert got == without.search(query, limit=9)
    assert len(with_removal) == 2


def test_removing_nearly_all_of_a_long_term_keeps_the_rest_right() -> None:
    index = LexicalIndex()
    index.extend((seq, ["a", f"own{seq % 7}"]) for seq in range(1_000))
    before = index.n_bytes
    for seq in range(995):
        index.remove(seq)

    assert sorted(seq for seq, _ in index.search(["a"], limit=99).hits) == list(
        range(995, 1_000)
    )
    assert index.n_bytes < before


def test_a_removed_number_can_come_back_in_a_new_row() -> None:
    index = LexicalIndex()
    assert index.add(4, ["a"]) == 0
    index.remove(4)

    assert index.add(4, ["b"]) == 1
    assert index.search(["a"], limit=9) == ([], "none")
    assert [seq for seq, _ in index.search(["b"], limit=9).hits] == [4]


def test_an_emptied_index_answers_nothing() -> None:
    index = LexicalIndex()
    assert index.search(["a"], limit=9) == ([], "none")
    index.add(1, ["a"])
    index.remove(1)

    assert index.search(["a", "b"], limit=9) == ([], "none")


def test_a_document_without_terms_is_counted_and_never_found() -> None:
    index = LexicalIndex()
    index.extend([(1, []), (2, ["a"])])

    [(seq, score)] = index.search(["a"], limit=9).hits

    assert (seq, len(index)) == (2, 2)
    assert score == pytest.approx(bm25({1: [], 2: ["a"]}, ["a"], [2])[2])


def test_a_query_without_terms_finds_nothing() -> None:
    index = LexicalIndex()
    index.add(1, ["a"])

    for match in get_args(Match):
        assert index.search([], limit=9, match=match) == ([], "none")


def test_rows_and_numbers_lead_to_each_other() -> None:
    index = LexicalIndex()

    assert index.extend([(30, ["a"]), (10, ["b"]), (20, [])]) == range(3)
    assert [index.row_of(seq) for seq in (30, 10, 20)] == [0, 1, 2]
    assert [index.seq_of(row) for row in range(3)] == [30, 10, 20]
    assert index.extend([]) == range(3, 3)


def test_unknown_rows_and_numbers_are_errors() -> None:
    index = LexicalIndex()
    index.add(5, ["a"])
    index.remove(5)

    with pytest.raises(KeyError, match="5"):
        index.row_of(5)
    with pytest.raises(KeyError, match="5"):
        index.remove(5)
    with pytest.raises(IndexError, match="row -1"):
        index.seq_of(-1)
    with pytest.raises(IndexError, match="row 1"):
        index.seq_of(1)


@pytest.mark.parametrize("numbers", [(1,), (2, 2)])
def test_a_repeated_number_is_refused_and_nothing_is_added(
    numbers: tuple[int, ...],
) -> None:
    index = LexicalIndex()
    index.add(1, ["a"])
    before = index.search(["a"], limit=9)

    with pytest.raises(ValueError, match="already in the index"):
        index.extend([(9, ["a"]), *((seq, ["a"]) for seq in numbers)])

    assert (len(index), index.n_rows) == (1, 1)
    assert index.search(["a"], limit=9) == before
    assert index.add(9, ["new"]) == 1
    assert [seq for seq, _ in index.search(["new"], limit=9).hits] == [9]


def test_bad_arguments_are_named() -> None:
    index = LexicalIndex()
    index.add(1, ["a"])

    with pytest.raises(ValueError, match="limit 0"):
        index.search(["a"], limit=0)
    with pytest.raises(TypeError, match="int64"):
        index.search(["a"], limit=1, allowed=np.array([0]))
