"""Keys and kinds: what is misspelt or mistyped is refused where it stands."""

import hashlib
from pathlib import Path

import pytest

from harness.dataset.model import (
    AsOfEpoch,
    BetweenEpochs,
    Filter,
    Historical,
    Judgment,
    Present,
    Temporal,
)
from harness.errors import DatasetError
from tests.datafiles import (
    Json,
    JsonPath,
    a_data_file,
    read,
    with_value,
    without,
    write,
)


def refused(folder: Path, data: Json) -> DatasetError:
    with pytest.raises(DatasetError) as caught:
        read(folder, data)
    return caught.value


def test_whole_file_is_read_as_written(tmp_path: Path) -> None:
    got = read(tmp_path, a_data_file())

    assert (got.name, got.version, got.description) == ("small", 2, "for tests")
    assert got.concepts == {"sedan": "vehicle", "automobile": "vehicle"}
    assert got.document_ids == ("a", "b", "c", "d", "c2", "d2")
    assert got.last_epoch == 3
    assert [each.entity for each in got.mentions] == ["Smith", "Smith"]
    assert got.queries[0].configurations is None
    assert got.queries[0].temporal == Present()
    assert got.queries[1].filter == Filter(wing="work")
    assert got.queries[1].configurations == ("lexical", "hybrid")
    assert got.queries[2].relevant == (Judgment("d", 2), Judgment("d2", 1))


def test_identity_is_the_hash_of_the_bytes(tmp_path: Path) -> None:
    path = write(tmp_path, a_data_file())

    got = read(tmp_path, a_data_file())

    assert got.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert got.path == path


def test_white_space_changes_the_identity(tmp_path: Path) -> None:
    compact = read(tmp_path, a_data_file())

    spaced = read(tmp_path, (tmp_path / "data.json").read_bytes() + b"\n")

    assert spaced.sha256 != compact.sha256
    assert spaced.queries == compact.queries


@pytest.mark.parametrize("key", ["supersessions", "mentions"])
def test_corrections_and_mentions_may_be_left_out(tmp_path: Path, key: str) -> None:
    data = without((key,))
    data["queries"] = data["queries"][:1]

    assert getattr(read(tmp_path, data), key) == ()


@pytest.mark.parametrize(
    "path",
    [
        ("_note",),
        ("documents", 0, "_note"),
        ("queries", 1, "filter", "_note"),
        ("queries", 1, "relevant", 0, "_why"),
        ("concepts", "_note"),
    ],
)
def test_comments_are_ignored_at_any_level(tmp_path: Path, path: JsonPath) -> None:
    wanted = read(tmp_path, a_data_file())

    got = read(tmp_path, with_value(path, "any text"))

    assert (got.concepts, got.documents) == (wanted.concepts, wanted.documents)
    assert got.queries == wanted.queries


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (None, Present()),
        ("historical", Historical()),
        ({"as_of_epoch": 0}, AsOfEpoch(0)),
        ({"between_epochs": [0, 3]}, BetweenEpochs(0, 3)),
    ],
)
def test_times(tmp_path: Path, value: Json, wanted: Temporal) -> None:
    data = with_value(("queries", 0, "temporal"), value)

    assert read(tmp_path, data).queries[0].temporal == wanted


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ({}, Filter()),
        ({"wing": None, "room": None}, Filter()),
        ({"room": "desk"}, Filter(room="desk")),
    ],
)
def test_filters(tmp_path: Path, value: Json, wanted: Filter) -> None:
    data = with_value(("queries", 2, "filter"), value)

    assert read(tmp_path, data).queries[2].filter == wanted


@pytest.mark.parametrize(
    ("path", "place", "remedy"),
    [
        (("querys",), "querys", "Did you mean 'queries'?"),
        (("documents", 1, "winf"), "documents[1].winf", "Did you mean 'wing'?"),
        (("supersessions", 0, "newid"), "supersessions[0].newid", "'new_id'?"),
        (("mentions", 1, "name"), "mentions[1].name", "Known here: doc, entity, kind"),
        (("queries", 0, "filters"), "queries[0].filters", "Did you mean 'filter'?"),
        (("queries", 1, "filter", "rooms"), "queries[1].filter.rooms", "'room'?"),
        (("queries", 1, "temporal", "as of"), "queries[1].temporal['as of']", "as_of"),
        (
            ("queries", 1, "relevant", 0, "grades"),
            "queries[1].relevant[0].grades",
            "Did you mean 'grade'?",
        ),
    ],
)
def test_unknown_key_is_refused_with_the_nearest_known_one(
    tmp_path: Path, path: JsonPath, place: str, remedy: str
) -> None:
    error = refused(tmp_path, with_value(path, "x"))

    assert error.where == f"{tmp_path / 'data.json'}: {place}"
    assert error.what == f"unknown key {path[-1]!r}."
    assert remedy in error.remedy


@pytest.mark.parametrize(
    "path",
    [
        ("name",),
        ("version",),
        ("description",),
        ("concepts",),
        ("documents",),
        ("queries",),
        ("documents", 2, "id"),
        ("documents", 2, "content"),
        ("supersessions", 1, "epoch"),
        ("mentions", 0, "kind"),
        ("queries", 0, "category"),
        ("queries", 0, "relevant"),
        ("queries", 0, "relevant", 1, "grade"),
    ],
)
def test_missing_key_is_named(tmp_path: Path, path: JsonPath) -> None:
    error = refused(tmp_path, without(path))

    assert error.what == f"the key {path[-1]!r} is missing."
    assert error.remedy.startswith("Add it. Required here: ")


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        ((), ["x"], "found a list of 1, wanted an object."),
        (("name",), None, "found null, wanted a string."),
        (("name",), 7, "found 7, wanted a string."),
        (("version",), True, "found true, wanted a whole number from 0 to 4294967295."),
        (("version",), 2.0, "found 2.0, wanted a whole number from 0 to 4294967295."),
        (("version",), -1, "found -1, wanted a whole number from 0 to 4294967295."),
        (
            ("version",),
            2**32,
            "found 4294967296, wanted a whole number from 0 to 42949",
        ),
        (("version",), "1", "found '1', wanted a whole number"),
        (("concepts",), [], "found a list of 0, wanted an object."),
        (("concepts", "sedan"), 3, "found 3, wanted a string."),
        (("documents",), {}, "found an object, wanted a list."),
        (("documents", 0), "x", "found 'x', wanted an object."),
        (("documents", 0, "content"), ["x"], "found a list of 1, wanted a string."),
        (("supersessions",), None, "found null, wanted a list."),
        (("supersessions", 0, "epoch"), -1, "found -1, wanted a whole number"),
        (("supersessions", 0, "epoch"), "1", "found '1', wanted a whole number"),
        (("queries", 0, "filter"), None, "found null, wanted an object."),
        (("queries", 0, "filter"), {"wing": 1}, "found 1, wanted a string."),
        (("queries", 0, "runs"), "lexical", "found 'lexical', wanted a list."),
        (("queries", 0, "runs"), [None], "found null, wanted a string."),
        (("queries", 0, "relevant"), "a", "found 'a', wanted a list."),
        (("queries", 0, "relevant", 0), "a", "found 'a', wanted an object."),
        (("queries", 0, "relevant", 0, "grade"), True, "found true, wanted a whole"),
        (("queries", 0, "relevant", 0, "grade"), 1.5, "found 1.5, wanted a whole"),
        (("queries", 0, "relevant", 0, "grade"), -2, "found -2, wanted a whole"),
        (("queries", 0, "temporal"), "history", "found 'history', wanted a time."),
        (("queries", 0, "temporal"), 1, "found 1, wanted a time."),
        (("queries", 0, "temporal"), [], "found a list of 0, wanted a time."),
        (("queries", 0, "temporal"), {}, "found 0 times, wanted one."),
        (
            ("queries", 0, "temporal"),
            {"as_of_epoch": 0, "between_epochs": [0, 1]},
            "found 2 times, wanted one.",
        ),
        (("queries", 0, "temporal"), {"as_of_epoch": -1}, "found -1, wanted a whole"),
        (
            ("queries", 0, "temporal"),
            {"between_epochs": [0]},
            "found 1 epochs, wanted two.",
        ),
        (
            ("queries", 0, "temporal"),
            {"between_epochs": [0, True]},
            "found true, wanted a whole number",
        ),
    ],
)
def test_value_of_the_wrong_kind_is_shown(
    tmp_path: Path, path: JsonPath, value: Json, what: str
) -> None:
    error = refused(tmp_path, with_value(path, value) if path else value)

    assert error.what.startswith(what)
    assert error.remedy


def test_place_leads_into_the_time(tmp_path: Path) -> None:
    data = with_value(("queries", 2, "temporal"), {"between_epochs": [0, None]})

    error = refused(tmp_path, data)

    assert error.where.endswith(": queries[2].temporal.between_epochs[1]")


def test_long_value_is_cut(tmp_path: Path) -> None:
    error = refused(tmp_path, with_value(("documents", 0), "x" * 10_000))

    assert error.what == f"found '{'x' * 60}'..., wanted an object."
