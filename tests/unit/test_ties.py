import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.measure.ties import Entry, narrowed, settled


def order(*entries: Entry) -> list[str]:
    return [entry.document for entry in settled(entries)]


def test_equal_scores_are_ordered_by_document() -> None:
    got = order(Entry("z", 0.9), Entry("b", 0.5), Entry("a", 0.5), Entry("c", 0.1))
    assert got == ["z", "a", "b", "c"]


def test_only_adjacent_equals_are_moved() -> None:
    assert order(Entry("m", 1.0), Entry("a", 0.5), Entry("n", 1.0)) == ["m", "a", "n"]


def test_scores_that_differ_in_float32_are_left_alone() -> None:
    higher, lower = narrowed(0.5000001), narrowed(0.5)
    assert order(Entry("b", higher), Entry("a", lower)) == ["b", "a"]


def test_scores_that_only_differ_beyond_float32_are_equal() -> None:
    got = order(Entry("b", narrowed(0.50000000001)), Entry("a", narrowed(0.5)))
    assert got == ["a", "b"]


def test_expanded_hit_never_crosses_a_direct_one() -> None:
    got = order(Entry("z", 1.0), Entry("a", 1.0, is_expanded=True))
    assert got == ["z", "a"]


def test_expanded_hits_are_settled_among_themselves() -> None:
    got = order(
        Entry("z", 1.0),
        Entry("c", 1.0, is_expanded=True),
        Entry("b", 1.0, is_expanded=True),
    )
    assert got == ["z", "b", "c"]


def test_missing_score_ties_with_zero() -> None:
    assert order(Entry("b", None), Entry("a", 0.0)) == ["a", "b"]


def test_order_is_that_of_bytes() -> None:
    assert order(Entry("é", 1.0), Entry("z", 1.0), Entry("Z", 1.0)) == ["Z", "z", "é"]


def test_narrowing_is_float32() -> None:
    assert narrowed(0.9) == 0.8999999761581421


def test_score_beyond_float32_is_refused() -> None:
    with pytest.raises(OverflowError):
        narrowed(1e300)


@given(
    st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from([0.0, 0.5, 1.0])))
)
def test_settling_keeps_every_entry_and_every_score_where_it_was(
    pairs: list[tuple[str, float]],
) -> None:
    entries = [Entry(document, score) for document, score in pairs]
    once = settled(entries)
    assert [entry.score for entry in once] == [entry.score for entry in entries]
    assert sorted(entry.document for entry in once) == sorted(d for d, _ in pairs)
    assert settled(once) == once
