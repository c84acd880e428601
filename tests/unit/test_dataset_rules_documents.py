"""Rules on the collection and its base documents: place, value and remedy."""

from pathlib import Path

import pytest

from harness.dataset.rules.strings import LARGEST_TEXT
from harness.errors import DatasetError
from tests.datafiles import Json, JsonPath, a_data_file, check_refusal, read, with_value


def test_the_file_all_cases_start_from_is_valid(tmp_path: Path) -> None:
    assert len(read(tmp_path, a_data_file()).queries) == 3


@pytest.mark.parametrize(
    ("path", "value", "what", "remedy"),
    [
        (("name",), " ", "' ' is blank", "visible name"),
        (("documents",), [], "found no documents", "Add at least one"),
        (("queries",), [], "found no queries", "Add at least one"),
    ],
)
def test_collection(
    tmp_path: Path, path: JsonPath, value: Json, what: str, remedy: str
) -> None:
    check_refusal(tmp_path, with_value(path, value), str(path[0]), what, remedy)


@pytest.mark.parametrize(
    ("word", "concept", "place", "what"),
    [
        ("Car", "vehicle", "concepts.Car", "'Car' is not one lower-case word"),
        ("pick up", "car", "concepts['pick up']", "'pick up' is not one lower"),
        ("co2?", "gas", "concepts['co2?']", "'co2?' is not one lower-case word"),
        ("", "gas", "concepts['']", "'' is not one lower-case word"),
        ("the", "article", "concepts.the", "'the' is a stop word"),
        ("car", " ", "concepts.car", "' ' is blank"),
    ],
)
def test_concept_that_no_text_can_use(
    tmp_path: Path, word: str, concept: str, place: str, what: str
) -> None:
    check_refusal(tmp_path, with_value(("concepts", word), concept), place, what, "")


LABELS = {
    "documents[1].id": ("documents", 1, "id"),
    "documents[1].wing": ("documents", 1, "wing"),
    "documents[1].room": ("documents", 1, "room"),
    "supersessions[1].new_id": ("supersessions", 1, "new_id"),
    "mentions[1].entity": ("mentions", 1, "entity"),
    "mentions[1].kind": ("mentions", 1, "kind"),
    "queries[1].id": ("queries", 1, "id"),
    "queries[1].category": ("queries", 1, "category"),
}


@pytest.mark.parametrize("place", LABELS)
@pytest.mark.parametrize(
    ("value", "what", "remedy"),
    [
        ("", "'' is blank", "visible name"),
        ("\u2003", "is blank", "visible name"),
        (" b", "' b' starts or ends with white space", "Take it away"),
        ("b\n", "'b\\n' starts or ends with white space", "Take it away"),
        ("b\x07b", "'b\\x07b' holds the control character '\\x07'", "Take it away"),
        ("b\x9bb", "'b\\x9bb' holds the control character", "Take it away"),
        ("b" * 256, "has 256 characters", "Use at most "),
    ],
)
def test_label(tmp_path: Path, place: str, value: str, what: str, remedy: str) -> None:
    check_refusal(tmp_path, with_value(LABELS[place], value), place, what, remedy)


@pytest.mark.parametrize("place", ["documents[1].wing", "documents[1].room"])
@pytest.mark.parametrize(
    ("value", "what", "remedy"),
    [
        ("home/garden", "'home/garden' is a path", "without '/'"),
        ("..", "'..' is a path", "not '.' or '..'"),
        (".", "'.' is a path", "not '.' or '..'"),
        ("9F3C1E0A-1b2c-4d3e-8f90-abcdefabcdef", "looks like a UUID", "another name"),
        ("9f3c1e0a1b2c4d3e8f90abcdefabcdef", "looks like a UUID", "another name"),
    ],
)
def test_name_that_a_url_cannot_carry(
    tmp_path: Path, place: str, value: str, what: str, remedy: str
) -> None:
    check_refusal(tmp_path, with_value(LABELS[place], value), place, what, remedy)


@pytest.mark.parametrize("place", ["documents[1].id", "supersessions[1].new_id"])
@pytest.mark.parametrize("value", ["filler-3", "unknown:3"])
def test_id_the_harness_gives_out_itself(
    tmp_path: Path, place: str, value: str
) -> None:
    what = f"{value!r} starts with"
    check_refusal(tmp_path, with_value(LABELS[place], value), place, what, "another id")


def test_wing_of_the_filler_is_taken(tmp_path: Path) -> None:
    data = with_value(("documents", 1, "wing"), "filler")

    check_refusal(
        tmp_path, data, "documents[1].wing", "'filler' is the wing", "another wing"
    )


@pytest.mark.parametrize(
    ("place", "path"),
    [
        ("documents[2].content", ("documents", 2, "content")),
        ("supersessions[0].content", ("supersessions", 0, "content")),
        ("queries[2].text", ("queries", 2, "text")),
    ],
)
@pytest.mark.parametrize(
    ("value", "what", "remedy"),
    [
        ("", "'' is blank", "Write a text"),
        (" \n\u3000", "is blank", "Write a text"),
        ("a\0b", "'a\\x00b' holds U+0000", "Take it away"),
        ("é" * 524_289, "has 1,048,578 bytes, wanted at most 1,048,576", "Split it"),
    ],
)
def test_text(
    tmp_path: Path, place: str, path: JsonPath, value: str, what: str, remedy: str
) -> None:
    check_refusal(tmp_path, with_value(path, value), place, what, remedy)


def test_largest_text_is_taken(tmp_path: Path) -> None:
    data = with_value(("documents", 2, "content"), "x" * LARGEST_TEXT)

    assert len(read(tmp_path, data).documents[2].content) == LARGEST_TEXT


def test_document_ids_are_unique(tmp_path: Path) -> None:
    check_refusal(
        tmp_path,
        with_value(("documents", 3, "id"), "a"),
        "documents[3].id",
        "'a' is the id of documents[0] too",
        "an id of its own",
    )


def test_one_room_holds_a_content_once(tmp_path: Path) -> None:
    check_refusal(
        tmp_path,
        with_value(("documents", 3, "content"), "Release on Monday"),
        "documents[3].content",
        "'Release on Monday' is word for word the content of 'c'",
        "Change the content",
    )


def test_another_room_may_hold_it_too(tmp_path: Path) -> None:
    data = with_value(("documents", 0, "content"), "Release on Monday")

    assert read(tmp_path, data).documents[0].content == "Release on Monday"


def test_the_first_broken_rule_is_the_one_reported(tmp_path: Path) -> None:
    data = with_value(("queries", 0, "relevant"), [])
    data["mentions"][0]["doc"] = "nobody"
    data["documents"][3]["id"] = "a"

    with pytest.raises(DatasetError) as caught:
        read(tmp_path, data)

    assert "documents[3].id" in caught.value.where
