"""The larger bundled data set is what its README says, and its judgments can be met."""

import json
import re
import unicodedata
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
from harness.judge.baseline import Baseline, load_baseline

ROOT = Path(__file__).resolve().parents[2]
FIELD = ROOT / "datasets" / "field.json"
README = ROOT / "datasets" / "README.md"
BASELINE = ROOT / "baselines" / "field.json"

LONG = 1500
"""Characters from which the README calls a drawer long."""

SHAPE = {
    "documents": 397,
    "corrections": 49,
    "drawers": 446,
    "links": 104,
    "wings": 8,
    "rooms": 34,
    "queries": 179,
}
CATEGORIES = {
    "identifiers": 13,
    "inflection": 12,
    "paraphrase": 14,
    "hybrid": 15,
    "temporal": 15,
    "as-of": 17,
    "between": 10,
    "scoped": 12,
    "graph": 17,
    "near-duplicates": 13,
    "spelling": 11,
    "languages": 17,
    "long": 13,
}


@pytest.fixture(scope="module")
def field() -> Dataset:
    return read_dataset(FIELD)


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def contents(field: Dataset) -> dict[str, str]:
    base = {document.id: document.content for document in field.documents}
    return base | {each.new_id: each.content for each in field.supersessions}


def letters(text: str, script: str) -> int:
    """Count the characters of *text* whose Unicode name starts with *script*."""
    return sum(unicodedata.name(each, "").startswith(script) for each in text)


def test_it_is_named_and_versioned(field: Dataset) -> None:
    assert (field.name, field.version) == ("skarvik-field", 2)


def test_it_has_the_shape_the_readme_gives(field: Dataset) -> None:
    got = {
        "documents": len(field.documents),
        "corrections": len(field.supersessions),
        "drawers": len(field.document_ids),
        "links": len(field.mentions),
        "wings": len({document.wing for document in field.documents}),
        "rooms": len({(each.wing, each.room) for each in field.documents}),
        "queries": len(field.queries),
    }

    assert got == SHAPE


def test_corrections_come_in_three_epochs(field: Dataset) -> None:
    assert Counter(each.epoch for each in field.supersessions) == {1: 23, 2: 18, 3: 8}
    assert field.last_epoch == 3


def test_queries_are_spread_over_the_categories(field: Dataset) -> None:
    assert Counter(query.category for query in field.queries) == CATEGORIES


def test_the_readme_counts_the_same_queries() -> None:
    section = README.read_text(encoding="utf-8").split("## `field.json`")[1]
    rows = re.findall(r"^\| `([a-z-]+)` \| (\d+) \|", section, re.MULTILINE)

    assert {name: int(count) for name, count in rows} == CATEGORIES


def test_every_judged_drawer_holds_when_and_where_it_is_asked_for(
    field: Dataset,
) -> None:
    for query in field.queries:
        for judgment in query.relevant:
            assert field.visible(judgment.doc, query.temporal), query.id
            assert field.in_scope(judgment.doc, query.filter), query.id


def test_every_query_has_an_answer_and_every_grade_a_meaning(field: Dataset) -> None:
    for query in field.queries:
        assert 2 in query.grades.values(), query.id
        assert set(query.grades.values()) <= {1, 2}, query.id


def test_no_query_has_more_answers_than_a_page(field: Dataset) -> None:
    assert max(len(query.relevant) for query in field.queries) <= 10


def test_no_query_is_asked_twice(field: Dataset) -> None:
    asked = Counter(
        (query.text, query.filter, query.temporal) for query in field.queries
    )

    assert max(asked.values()) == 1


def test_no_text_occurs_twice(field: Dataset) -> None:
    texts = Counter(" ".join(words(each)) for each in contents(field).values())

    assert max(texts.values()) == 1


def test_time_is_asked_for_in_every_way(field: Dataset) -> None:
    assert {query.temporal for query in field.queries} >= {
        Present(),
        Historical(),
        AsOfEpoch(0),
        AsOfEpoch(1),
        AsOfEpoch(2),
        AsOfEpoch(3),
        BetweenEpochs(0, 1),
        BetweenEpochs(0, 2),
        BetweenEpochs(1, 2),
        BetweenEpochs(1, 3),
        BetweenEpochs(2, 3),
    }


def test_categories_of_time_ask_about_their_own_time(field: Dataset) -> None:
    kinds: dict[str, set[type]] = {}
    for query in field.queries:
        kinds.setdefault(query.category, set()).add(type(query.temporal))

    assert kinds["temporal"] == {Present, Historical}
    assert kinds["as-of"] == {AsOfEpoch}
    assert kinds["between"] == {BetweenEpochs}


def test_a_question_is_asked_of_two_times_with_two_answers(field: Dataset) -> None:
    answers: dict[str, set[frozenset[str]]] = {}
    for query in field.queries:
        best = frozenset(doc for doc, grade in query.grades.items() if grade == 2)
        answers.setdefault(query.text, set()).add(best)

    assert sum(len(each) > 1 for each in answers.values()) >= 4


def test_many_a_superseded_drawer_is_asked_for(field: Dataset) -> None:
    corrected = {each.doc for each in field.supersessions}
    judged = {doc for query in field.queries for doc in query.grades}

    assert len(corrected & judged) >= 20


def test_scopes_are_wing_room_and_both(field: Dataset) -> None:
    got = {
        (query.filter.wing is not None, query.filter.room is not None)
        for query in field.queries
        if query.category == "scoped"
    }

    assert got == {(True, False), (False, True), (True, True)}


def test_rooms_of_one_name_lie_in_several_wings(field: Dataset) -> None:
    wings: dict[str, set[str]] = {}
    for document in field.documents:
        wings.setdefault(document.room, set()).add(document.wing)

    assert wings["repairs"] == {"station", "boats", "river", "weather"}
    assert wings["safety"] == {"boats", "glacier", "lab"}
    assert wings["supplies"] == {"lab", "logistics"}


def test_every_room_holds_an_answer(field: Dataset) -> None:
    rooms = {(document.wing, document.room) for document in field.documents}
    answered = {field.placement(doc) for query in field.queries for doc in query.grades}

    assert rooms - answered == set()


def test_scripts_and_languages_are_there(field: Dataset) -> None:
    texts = contents(field).values()
    said = {
        "Russian": sum(letters(text, "CYRILLIC") > 20 for text in texts),
        "Japanese": sum(letters(text, "HIRAGANA") > 3 for text in texts),
        "German": sum(len({"und", "der", "die"} & {*words(t)}) > 1 for t in texts),
        "French": sum(len({"les", "le", "la", "et"} & {*words(t)}) > 1 for t in texts),
        "Spanish": sum(
            len({"los", "las", "el", "se"} & {*words(t)}) > 1 for t in texts
        ),
        "Polish": sum(bool(set("ąęłśżź") & set(text)) for text in texts),
    }

    assert min(said.values()) >= 5, said


def test_words_are_spelt_in_both_ways(field: Dataset) -> None:
    written = {word for text in contents(field).values() for word in words(text)}
    asked = {word for query in field.queries for word in words(query.text)}

    assert {"metres", "meters", "grey", "gray", "colour", "tyre"} <= written
    assert {"color", "gray", "tire", "aluminum", "license", "catalog"} <= asked
    assert {"benoit", "lucia", "gralle", "jurgen"} <= asked
    assert {"benoît", "lucía", "grålle", "jürgen"} <= written


def test_long_queries_are_answered_by_long_drawers(field: Dataset) -> None:
    texts = contents(field)
    longest = [
        max(len(texts[doc]) for doc, grade in query.grades.items() if grade == 2)
        for query in field.queries
        if query.category == "long"
    ]

    assert min(longest) > LONG
    assert sum(len(text) > LONG for text in texts.values()) == 10


def test_near_duplicates_have_many_siblings(field: Dataset) -> None:
    starts = Counter(text.split()[0].strip(":,") for text in contents(field).values())

    assert {name: starts[name] for name in ("Stake", "Crate", "Balloon")} == {
        "Stake": 16,
        "Crate": 9,
        "Balloon": 8,
    }


def test_every_entity_links_two_drawers_or_more(field: Dataset) -> None:
    links = Counter((mention.entity, mention.kind) for mention in field.mentions)

    assert min(links.values()) >= 2


def test_an_entity_reaches_drawers_that_were_corrected(field: Dataset) -> None:
    corrected = {each.doc for each in field.supersessions}

    assert len({mention.doc for mention in field.mentions} & corrected) >= 5


def test_graph_queries_are_asked_with_a_scope_and_with_a_time(field: Dataset) -> None:
    graph = [query for query in field.queries if query.category == "graph"]

    assert any(query.filter.wing is not None for query in graph)
    assert {AsOfEpoch(0), AsOfEpoch(1)} <= {query.temporal for query in graph}


def test_ids_say_nothing_but_their_place(field: Dataset) -> None:
    drawers, queries = len(field.document_ids), len(field.queries)
    assert field.document_ids == tuple(f"d{n:03}" for n in range(1, drawers + 1))
    assert [each.id for each in field.queries] == [
        f"q{n:03}" for n in range(1, queries + 1)
    ]


def test_every_concept_has_a_word_some_drawer_uses(field: Dataset) -> None:
    used = {word for text in contents(field).values() for word in words(text)}
    met = {field.concepts[word] for word in used & set(field.concepts)}

    assert set(field.concepts.values()) - met == set()


def test_filler_shares_no_word_with_a_query(field: Dataset) -> None:
    filler = {word for text in filler_texts(200) for word in words(text)}
    asked = {word for query in field.queries for word in words(query.text)}

    assert len(filler) > 200
    assert filler & asked == set()


def test_no_syllable_of_filler_is_a_word_here(field: Dataset) -> None:
    syllables = {"zor", "vek", "mil", "tarq", "bun", "oxe", "lyp", "dru"}
    syllables |= {"fen", "gaz", "hov", "jin", "kwo", "nox", "pez", "qua"}
    used = [*contents(field).values(), *(query.text for query in field.queries)]

    assert syllables & {word for text in used for word in words(text)} == set()


def test_a_drawer_or_a_query_fills_one_line_of_the_file() -> None:
    lines = FIELD.read_text(encoding="utf-8").splitlines()
    entries = [line for line in lines if line.startswith("    {")]

    assert len(entries) == (
        SHAPE["documents"] + SHAPE["corrections"] + SHAPE["links"] + SHAPE["queries"]
    )
    for line in entries:
        assert isinstance(json.loads(line.removesuffix(",")), dict)


@pytest.fixture(scope="module")
def baseline() -> Baseline:
    return load_baseline(BASELINE)


def test_no_configuration_solves_it(baseline: Baseline) -> None:
    for name, configuration in baseline.configurations.items():
        assert configuration.metrics["recall@10"] < 0.9, name
        assert configuration.metrics["ndcg@10"] < 0.9, name


@pytest.mark.parametrize(
    ("category", "winner"),
    [
        ("identifiers", "lexical"),
        ("inflection", "lexical"),
        ("long", "lexical"),
        ("paraphrase", "semantic"),
        ("hybrid", "hybrid"),
        ("between", "hybrid"),
        ("graph", "lexical+expand"),
    ],
)
def test_a_capability_is_won_by_its_configuration(
    baseline: Baseline, category: str, winner: str
) -> None:
    scores = {
        name: each.categories[category].metrics["ndcg@10"]
        for name, each in baseline.configurations.items()
        if category in each.categories
    }

    assert max(scores, key=scores.__getitem__) == winner, scores
