"""Rules on corrections and entity links: place, value and remedy."""

from pathlib import Path

import pytest

from harness.dataset.rules.corrections import LAST_EPOCH
from harness.dataset.rules.strings import LONGEST_KIND
from tests.datafiles import Json, check_refusal, read, with_value

CORRECTION = {"epoch": 2, "doc": "a", "new_id": "a2", "content": "The oven is fixed"}


@pytest.mark.parametrize(
    ("changed", "key", "what", "remedy"),
    [
        ({"epoch": 0}, "epoch", "found 0", "Start corrections at epoch 1"),
        ({"epoch": 1001}, "epoch", f"found 1001, wanted at most {LAST_EPOCH}", "gaps"),
        ({"doc": "e"}, "doc", "'e', which 'a2' supersedes, is not", "`documents`"),
        ({"doc": "c2"}, "doc", "'c2', which 'a2' supersedes, is a corr", "not chain"),
        ({"doc": "a2"}, "doc", "'a2', which 'a2' supersedes, is a corr", "not chain"),
        ({"doc": "c"}, "doc", "'c' is already superseded, by 'c2'", "at most once"),
        ({"new_id": "b"}, "new_id", "'b' is already the id", "an id of its own"),
        ({"new_id": "c2"}, "new_id", "'c2' is already the id", "an id of its own"),
        ({"new_id": "a"}, "new_id", "'a' is already the id", "an id of its own"),
        (
            {"content": "The oven runs hot"},
            "content",
            "'The oven runs hot' is word for word the content of 'a'",
            "Change the content",
        ),
    ],
)
def test_corrections(
    tmp_path: Path, changed: dict[str, Json], key: str, what: str, remedy: str
) -> None:
    data = with_value(("supersessions", 2), CORRECTION | changed)

    check_refusal(tmp_path, data, f"supersessions[2].{key}", what, remedy)


def test_unknown_document_is_answered_with_a_near_one(tmp_path: Path) -> None:
    data = with_value(("documents", 1, "id"), "garden-slugs")
    data["mentions"][1]["doc"] = "garden-slug"

    check_refusal(
        tmp_path,
        data,
        "mentions[1].doc",
        "'garden-slug' is not a document",
        "Did you mean 'garden-slugs'?",
    )


def test_correction_may_not_say_what_another_document_says(tmp_path: Path) -> None:
    check_refusal(
        tmp_path,
        with_value(("supersessions", 1, "content"), "Release on Tuesday"),
        "supersessions[1].content",
        "'Release on Tuesday' is word for word the content of 'c2'",
        "drop the correction",
    )


def test_correction_may_say_what_no_longer_holds(tmp_path: Path) -> None:
    data = with_value(("supersessions", 1, "content"), "Release on Monday")

    assert read(tmp_path, data).supersessions[1].content == "Release on Monday"


def test_contents_are_followed_in_time_and_not_in_file_order(tmp_path: Path) -> None:
    data = with_value(("supersessions", 1, "content"), "Release on Monday")
    data["supersessions"].reverse()

    assert read(tmp_path, data).supersessions[0].content == "Release on Monday"


@pytest.mark.parametrize(
    ("mention", "place", "what", "remedy"),
    [
        ({"doc": "e"}, "mentions[2].doc", "'e' is not a document", "Link one of"),
        ({"doc": "c2"}, "mentions[2].doc", "'c2' is a correction", "document 'c'"),
        ({"doc": "a"}, "mentions[2]", "'a' is already linked to 'Smith'", "Keep one"),
        ({"doc": "a", "kind": "Person"}, "mentions[2]", "by mentions[0]", "Keep one"),
    ],
)
def test_mentions(
    tmp_path: Path, mention: dict[str, Json], place: str, what: str, remedy: str
) -> None:
    link = {"entity": "Smith", "kind": "person"} | mention

    check_refusal(tmp_path, with_value(("mentions", 2), link), place, what, remedy)


@pytest.mark.parametrize("kind", ["k" * 65, "İ" * 33], ids=["long", "lower-cased"])
def test_kind_has_no_more_characters_than_the_daemon_takes(
    tmp_path: Path, kind: str
) -> None:
    data = with_value(("mentions", 0, "kind"), kind)
    place, remedy = "mentions[0].kind", f"at most {LONGEST_KIND}"
    check_refusal(tmp_path, data, place, f"has {len(kind.lower())} characters", remedy)


def test_kind_may_have_64_characters(tmp_path: Path) -> None:
    data = with_value(("mentions", 0, "kind"), "k" * 64)
    assert read(tmp_path, data).mentions[0].kind == "k" * 64
