"""What the offline model says of our own slices, and of engines that are wrong."""

from collections.abc import Callable

import pytest

from harness.dataset.recall.facts import facts_decay_slice
from harness.dataset.recall.lifecycle import lifecycle_slice
from harness.dataset.recall.long_documents import long_documents_slice
from harness.dataset.recall.model import RecallQuery
from harness.dataset.recall.paraphrase import paraphrase_slice
from harness.dataset.recall.scripts import scripts_slice
from tests.golden.offline_chunks import by_separators, by_windows
from tests.golden.offline_facts import rank_facts
from tests.golden.offline_recall import (
    Fragment,
    Ranker,
    Room,
    a_room,
    asked,
    bm25,
    porter2,
    row,
    to_six,
)
from tests.golden.offline_terms import public_search_terms, whole_terms


def test_vectors_find_paraphrases_and_keywords_do_not() -> None:
    paraphrases = paraphrase_slice()
    room = a_room(paraphrases.documents)

    wanted = to_six(11 / 12, 0.853363, 0.9)
    assert asked(room.vector, paraphrases.queries) == wanted
    assert asked(room.hybrid, paraphrases.queries) == wanted
    assert asked(room.keyword, paraphrases.queries) == (0, 0, 0)


def test_stemming_does_not_find_paraphrases() -> None:
    stem, paraphrases = porter2(), paraphrase_slice()
    room = a_room(paraphrases.documents)

    got = asked(lambda query: room.rank_search(query, stem), paraphrases.queries)

    assert got == (0, 0, 0)


def a_room_of_scripts() -> Room:
    fragments = [Fragment(each.id, each.text) for each in scripts_slice().documents]
    return Room(fragments, terms=whole_terms)


def test_no_script_is_lost_to_a_cut_that_knows_them() -> None:
    queries, room = scripts_slice().queries, a_room_of_scripts()

    assert asked(room.keyword, queries) == (1, 1, 1)
    assert asked(room.hybrid, queries) == to_six(1, 0.988614, 0.985)
    assert asked(lambda query: room.rank_search(query, None), queries) == (1, 1, 1)


def by_script(ranker: Ranker) -> dict[str, float]:
    queries = scripts_slice().queries
    scripts = dict.fromkeys(query.category for query in queries)
    return {
        script: asked(ranker, [each for each in queries if each.category == script])[0]
        for script in scripts
    }


def test_the_public_document_ranker_loses_every_script_but_latin() -> None:
    lost = a_room(scripts_slice().documents)

    assert by_script(lost.keyword) == {
        "latin": pytest.approx(2 / 9),
        **dict.fromkeys(("cyrillic", "korean", "japanese", "chinese", "emoji"), 0),
        "linebreaks": 1,
    }
    hybrid = asked(lost.hybrid, scripts_slice().queries)
    assert hybrid.recall == pytest.approx(0.18)


def test_the_public_search_ranker_loses_line_breaks_too() -> None:
    room = a_room_of_scripts()
    texts = [public_search_terms(each.text, None) for each in room.fragments]

    def ranker(query: str) -> list[str]:
        terms = public_search_terms(query, None)
        scores = bm25(terms, texts, k1=1.2, b=0.75, single=True)
        places = sorted(range(len(texts)), key=lambda at: -scores[at])
        return [room.fragments[at].document for at in places if scores[at] > 0]

    assert by_script(ranker) == {
        "latin": pytest.approx(8 / 9),
        **dict.fromkeys(("cyrillic", "korean", "japanese", "chinese", "emoji"), 0),
        "linebreaks": 0,
    }


def long_room(cut: Callable[[str], list[str]]) -> Room:
    documents = long_documents_slice().documents
    return Room(
        [Fragment(each.id, part) for each in documents for part in cut(each.text)]
    )


@pytest.mark.parametrize("cut", [by_separators, by_windows])
def test_answers_of_long_documents_are_found_however_they_are_cut(
    cut: Callable[[str], list[str]],
) -> None:
    queries, room = long_documents_slice().queries, long_room(cut)

    assert asked(room.keyword, queries) == (1, 1, 1)
    assert asked(room.hybrid, queries).recall == 1
    assert asked(room.vector, queries).recall == pytest.approx(11 / 12)


@pytest.mark.parametrize("cut", [by_separators, by_windows])
def test_without_overlap_the_answers_at_a_cut_are_lost(
    cut: Callable[[str, int, int], list[str]],
) -> None:
    queries = long_documents_slice().queries
    room = long_room(lambda text: cut(text, 1750, 0))

    lost = [
        query.category
        for query in queries
        if query.relevant[0] not in room.keyword(query.text)[:5]
    ]
    assert lost == ["boundary", "boundary"]
    assert asked(room.hybrid, queries).recall == pytest.approx(10 / 12)
    assert asked(room.vector, queries).recall == pytest.approx(9 / 12)


def test_the_first_fragments_alone_lose_most_answers() -> None:
    room = long_room(lambda text: [text[:1750]])

    queries = long_documents_slice().queries

    assert asked(room.keyword, queries).recall == pytest.approx(4 / 12)
    assert asked(room.hybrid, queries).recall == pytest.approx(6 / 12)
    assert asked(room.vector, queries).recall == pytest.approx(5 / 12)


def stages() -> list[tuple[dict[str, str], dict[str, str], tuple[RecallQuery, ...]]]:
    """List what is stored before and after each change, and what is asked then."""
    changes = lifecycle_slice()
    first = {each.id: each.text for each in changes.documents}
    copied = first | {each.id: each.text for each in changes.copies}
    # A replaced text is a new fragment, and so the newest.
    kept = dict(copied)
    for each in changes.updates:
        del kept[each.id]
        kept[each.id] = each.text
    left = {each: text for each, text in kept.items() if each not in changes.deletes}
    return [
        (first, copied, changes.after_duplicates),
        (copied, kept, changes.after_updates),
        (kept, left, changes.after_deletes),
    ]


@pytest.mark.parametrize("stage", [0, 1, 2])
@pytest.mark.parametrize("mode", ["hybrid", "vector", "keyword"])
def test_after_a_change_everything_is_found_and_nothing_else(
    stage: int, mode: str
) -> None:
    _, texts, queries = stages()[stage]
    room = Room([Fragment(*each) for each in texts.items()])
    ranker: Ranker = getattr(room, mode)

    assert asked(ranker, queries) == (1, 1, 1)
    for query in queries:
        first = ranker(query.text) if mode == "keyword" else ranker(query.text)[:5]
        assert not set(first) & set(query.absent)


@pytest.mark.parametrize(("stage", "recall"), [(0, 1 / 3), (1, 7 / 15), (2, 0.88)])
def test_without_the_change_the_row_falls(stage: int, recall: float) -> None:
    texts, _, queries = stages()[stage]
    room = Room([Fragment(*each) for each in texts.items()])

    assert asked(room.hybrid, queries).recall == pytest.approx(recall)


def test_ageing_facts_are_ranked_by_what_is_left_of_their_confidence() -> None:
    ageing = facts_decay_slice()

    got = row(
        (rank_facts(query.text, ageing.facts, now=ageing.now), query.relevant)
        for query in ageing.queries
    )

    assert got == (1, 1, 1)


def test_facts_that_do_not_age_lose_the_row() -> None:
    ageing = facts_decay_slice()

    got = row(
        (rank_facts(query.text, ageing.facts), query.relevant)
        for query in ageing.queries
    )

    assert got == to_six(0.75, 0.611599, 0.5625)
