"""The bundled data set is what its README says, and shares nothing with MemCastle's."""

import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest

from harness.dataset.filler import filler_texts
from harness.dataset.model import (
    AsOfEpoch,
    BetweenEpochs,
    Dataset,
    Historical,
    Present,
)
from harness.dataset.read import read_dataset

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "datasets" / "core.json"
CASES = Path(os.environ.get("HARNESS_CASES", ROOT.parent / "shared" / "cases"))
MEMCASTLE = CASES / "memcastle" / "core.json"

SIXTEEN = "zor vek mil tarq bun oxe lyp dru fen gaz hov jin kwo nox pez qua"
SYLLABLES = frozenset(SIXTEEN.split(" "))


@pytest.fixture(scope="module")
def core() -> Dataset:
    return read_dataset(CORE)


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def contents(core: Dataset) -> list[str]:
    base = [document.content for document in core.documents]
    return base + [correction.content for correction in core.supersessions]


def test_it_is_named_and_versioned(core: Dataset) -> None:
    assert (core.name, core.version) == ("household-core", 1)


def test_it_has_the_public_shape(core: Dataset) -> None:
    got = {
        "documents": len(core.documents),
        "corrections": len(core.supersessions),
        "drawers": len(core.document_ids),
        "links": len(core.mentions),
        "wings": len({document.wing for document in core.documents}),
        "last epoch": core.last_epoch,
    }

    assert got == {
        "documents": 55,
        "corrections": 4,
        "drawers": 59,
        "links": 15,
        "wings": 4,
        "last epoch": 1,
    }


def test_queries_are_spread_over_the_categories(core: Dataset) -> None:
    assert Counter(query.category for query in core.queries) == {
        "lexical": 10,
        "paraphrase": 9,
        "scoped": 5,
        "temporal": 10,
        "graph": 5,
    }


def test_every_wing_has_several_rooms(core: Dataset) -> None:
    rooms: dict[str, set[str]] = {}
    for document in core.documents:
        rooms.setdefault(document.wing, set()).add(document.room)

    assert {wing: len(each) for wing, each in rooms.items()} == {
        "household": 3,
        "family": 3,
        "team": 4,
        "choir": 3,
    }


def test_every_room_holds_an_answer(core: Dataset) -> None:
    rooms = {(document.wing, document.room) for document in core.documents}
    answered = {
        core.placement(judgment.doc)
        for query in core.queries
        for judgment in query.relevant
    }

    assert rooms - answered == set()


def test_filters_name_places_that_exist(core: Dataset) -> None:
    for query in core.queries:
        reached = [doc for doc in core.document_ids if core.in_scope(doc, query.filter)]
        assert reached, query.id


def test_scoped_queries_filter_by_wing_by_room_and_by_both(core: Dataset) -> None:
    got = {
        (query.filter.wing is not None, query.filter.room is not None)
        for query in core.queries
        if query.category == "scoped"
    }

    assert got == {(True, False), (False, True), (True, True)}


def test_a_room_filter_alone_spans_two_wings(core: Dataset) -> None:
    spanned = {
        query.filter.room: {
            document.wing
            for document in core.documents
            if document.room == query.filter.room
        }
        for query in core.queries
        if query.filter.wing is None and query.filter.room is not None
    }

    assert spanned == {"contacts": {"team", "choir"}}


def test_temporal_queries_ask_in_every_way(core: Dataset) -> None:
    asked = {query.temporal for query in core.queries if query.category == "temporal"}

    assert asked == {
        Present(),
        Historical(),
        AsOfEpoch(0),
        AsOfEpoch(1),
        BetweenEpochs(0, 1),
    }


def test_each_corrected_fact_is_asked_for_before_and_after(core: Dataset) -> None:
    answers = {
        judgment.doc
        for query in core.queries
        if query.category == "temporal"
        for judgment in query.relevant
    }

    versions = {(each.doc, each.new_id) for each in core.supersessions}
    assert all(old in answers and new in answers for old, new in versions)


def test_graph_queries_are_asked_with_a_scope_and_with_a_time(core: Dataset) -> None:
    graph = [query for query in core.queries if query.category == "graph"]

    assert any(query.filter.wing is not None for query in graph)
    assert any(query.temporal == AsOfEpoch(0) for query in graph)


def test_an_entity_reaches_a_drawer_that_was_corrected(core: Dataset) -> None:
    corrected = {each.doc for each in core.supersessions}

    assert {mention.doc for mention in core.mentions} & corrected


def test_every_entity_links_two_drawers_or_more(core: Dataset) -> None:
    links = Counter((mention.entity, mention.kind) for mention in core.mentions)

    assert min(links.values()) >= 2
    assert len({(each.doc, each.entity) for each in core.mentions}) == 15


def test_grades_are_answer_and_related(core: Dataset) -> None:
    for query in core.queries:
        assert 2 in query.grades.values(), query.id
        assert set(query.grades.values()) <= {1, 2}, query.id


def test_ids_say_nothing_but_their_place(core: Dataset) -> None:
    assert core.document_ids == tuple(f"d{n:02}" for n in range(1, 60))
    assert [query.id for query in core.queries] == [f"q{n:02}" for n in range(1, 40)]


def test_no_text_occurs_twice(core: Dataset) -> None:
    texts = Counter(" ".join(words(content)) for content in contents(core))

    assert max(texts.values()) == 1


def test_concepts_are_keyed_by_lower_case_words(core: Dataset) -> None:
    for word, concept in core.concepts.items():
        assert words(word) == [word]
        assert words(concept) == [concept]


def test_every_concept_has_a_word_some_drawer_uses(core: Dataset) -> None:
    used = {word for content in contents(core) for word in words(content)}
    met = {core.concepts[word] for word in used & set(core.concepts)}

    assert set(core.concepts.values()) - met == set()


def test_hard_spellings_are_there(core: Dataset) -> None:
    texts = {query.text for query in core.queries}
    written = " ".join(contents(core))

    assert "Fauré" in written
    assert "Dvořák" in written
    assert "Faure" in texts
    assert any("Dvorak" in text for text in texts)
    assert any(re.search(r"\d", text) for text in texts)
    assert "plumber?" in texts
    assert re.search(r"\w'\w", written)


def test_filler_shares_no_word_with_a_query(core: Dataset) -> None:
    filler = {word for text in filler_texts(200) for word in words(text)}
    filler |= {word for text in filler_texts(200) for word in text.lower().split()}
    asked = {word for query in core.queries for word in words(query.text)}
    asked |= {word for query in core.queries for word in query.text.lower().split()}

    assert len(filler) > 200
    assert filler & asked == set()


def test_no_syllable_of_filler_is_a_word_here(core: Dataset) -> None:
    used = [*contents(core), *(query.text for query in core.queries)]

    assert SYLLABLES & {word for text in used for word in words(text)} == set()


def test_a_drawer_or_a_query_fills_one_line_of_the_file() -> None:
    lines = CORE.read_text(encoding="utf-8").splitlines()
    entries = [line for line in lines if line.startswith("    {")]

    assert len(entries) == 55 + 4 + 15 + 39
    for line in entries:
        assert isinstance(json.loads(line.removesuffix(",")), dict)


@pytest.fixture(scope="module")
def memcastle() -> Dataset:
    if not MEMCASTLE.is_file():
        pytest.skip(
            f"NOT CHECKED: MemCastle's data set is not at {MEMCASTLE}; "
            "set HARNESS_CASES to the folder that has memcastle/core.json"
        )
    return read_dataset(MEMCASTLE)


def runs_of_words(texts: list[str], length: int) -> set[tuple[str, ...]]:
    found: set[tuple[str, ...]] = set()
    for text in texts:
        all_words = words(text)
        found |= {
            tuple(all_words[start : start + length])
            for start in range(len(all_words) - length + 1)
        }
    return found


def test_no_four_words_in_a_row_are_memcastles(
    core: Dataset, memcastle: Dataset
) -> None:
    ours = runs_of_words(contents(core), 4)
    theirs = runs_of_words(contents(memcastle), 4)

    assert ours & theirs == set()


def test_no_query_is_memcastles(core: Dataset, memcastle: Dataset) -> None:
    ours = {tuple(words(query.text)) for query in core.queries}
    theirs = {tuple(words(query.text)) for query in memcastle.queries}

    assert ours & theirs == set()


def test_no_entity_is_memcastles(core: Dataset, memcastle: Dataset) -> None:
    ours = {mention.entity.casefold() for mention in core.mentions}
    theirs = {mention.entity.casefold() for mention in memcastle.mentions}

    assert ours & theirs == set()
