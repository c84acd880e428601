"""After each change it is known what a search must find, and what it must not."""

from collections.abc import Mapping, Sequence

import pytest

from harness.dataset.recall.lifecycle import LifecycleSlice, lifecycle_slice
from harness.dataset.recall.model import CUTOFF, RecallQuery, digest


@pytest.fixture(scope="module")
def changes() -> LifecycleSlice:
    return lifecycle_slice()


def stored(changes: LifecycleSlice) -> dict[str, dict[str, str]]:
    """Return what is stored, text by id, after each change."""
    texts = {each.id: each.text for each in (*changes.documents, *changes.duplicates)}
    updated = texts | {each.id: each.text for each in changes.updates}
    left = {each: text for each, text in updated.items() if each not in changes.deletes}
    return {"duplicates": texts, "updates": updated, "deletes": left}


def shared(query: RecallQuery, text: str) -> int:
    return len(set(query.text.lower().split()) & set(text.lower().split()))


def asked(changes: LifecycleSlice) -> dict[str, Sequence[RecallQuery]]:
    return {
        "duplicates": changes.after_duplicates,
        "updates": changes.after_updates,
        "deletes": changes.after_deletes,
    }


@pytest.mark.parametrize(
    ("part", "wanted"),
    [
        ("documents", "ba3d902a3c2b3e8d"),
        ("duplicates", "1ebd2da85fd34b38"),
        ("updates", "e08c88845a05a51f"),
        ("after_duplicates", "5390b5534df74698"),
        ("after_updates", "4d008a8bdad443b1"),
        ("after_deletes", "4b50cc5fe0e431d9"),
    ],
)
def test_the_texts_are_the_ones_that_figures_rest_on(
    changes: LifecycleSlice, part: str, wanted: str
) -> None:
    assert digest(getattr(changes, part))[:16] == wanted


def test_documents_grow_by_the_copies_and_shrink_by_the_deletes(
    changes: LifecycleSlice,
) -> None:
    got = {change: len(texts) for change, texts in stored(changes).items()}

    assert len(changes.documents) == 46
    assert got == {"duplicates": 54, "updates": 54, "deletes": 49}


def test_a_repeat_is_a_stored_document_name_and_text(changes: LifecycleSlice) -> None:
    assert changes.repeats == changes.documents[:4]


def test_a_copy_has_a_stored_text_and_a_name_of_its_own(
    changes: LifecycleSlice,
) -> None:
    names = {each.name for each in changes.documents}
    texts = {each.text for each in changes.documents}

    assert len(changes.copies) == 8
    assert all(each.text in texts for each in changes.copies)
    assert names.isdisjoint(each.name for each in changes.copies)
    assert changes.repeats + changes.copies == changes.duplicates


def test_an_update_changes_a_stored_document(changes: LifecycleSlice) -> None:
    texts = stored(changes)["duplicates"]

    assert len(changes.updates) == 5
    assert all(each.text != texts[each.id] for each in changes.updates)


@pytest.mark.parametrize("change", ["duplicates", "updates", "deletes"])
def test_answers_exist_when_they_are_asked_for(
    changes: LifecycleSlice, change: str
) -> None:
    texts = stored(changes)[change]

    for query in asked(changes)[change]:
        assert 1 <= len(query.relevant) <= CUTOFF
        assert texts.keys() >= set(query.relevant)


def before(changes: LifecycleSlice, change: str) -> Mapping[str, str]:
    order = ["duplicates", "updates", "deletes"]
    return stored(changes)[order[order.index(change) - 1]]


@pytest.mark.parametrize("change", ["updates", "deletes"])
def test_what_must_not_come_fitted_best_before_the_change(
    changes: LifecycleSlice, change: str
) -> None:
    earlier = before(changes, change)
    queries = [query for query in asked(changes)[change] if query.absent]

    assert len(queries) == 5
    for query in queries:
        (absent,) = query.absent
        wanted = max(shared(query, earlier[each]) for each in query.relevant)
        assert shared(query, earlier[absent]) >= wanted
        if query.category != "copies":
            assert shared(query, earlier[absent]) > wanted
            assert len(query.relevant) == CUTOFF


def test_what_was_rewritten_shares_no_word_with_its_old_query(
    changes: LifecycleSlice,
) -> None:
    texts = stored(changes)["updates"]

    for query in changes.after_updates:
        assert not any(shared(query, texts[each]) for each in query.absent)


def test_what_was_deleted_is_gone_and_not_merely_changed(
    changes: LifecycleSlice,
) -> None:
    absent = {each for query in changes.after_deletes for each in query.absent}

    assert absent == set(changes.deletes)


def test_a_new_text_is_asked_for_among_five_that_would_take_its_place(
    changes: LifecycleSlice,
) -> None:
    texts = stored(changes)["updates"]
    new = [query for query in changes.after_updates if query.category == "new"]

    assert len(new) == 4
    for query in new:
        (answer,) = query.relevant
        others = [each for each in texts if each != answer]
        near = [each for each in others if shared(query, texts[each])]
        assert len(near) == 5
        assert all(
            shared(query, texts[answer]) > shared(query, texts[each]) for each in near
        )
