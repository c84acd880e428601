"""Whatever a file holds, it is read or refused: nothing else comes out."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.dataset import shape
from harness.dataset.jsonfile import parse_json
from harness.dataset.model import (
    AsOfEpoch,
    BetweenEpochs,
    Dataset,
    Historical,
    Present,
)
from harness.dataset.node import Node
from harness.dataset.place import Place
from harness.dataset.rules import check
from harness.errors import DatasetError
from tests.datafiles import Json, JsonPath, a_data_file

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 2**33)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["a", "c", "c2", "home", "lexical", "historical"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["doc", "id", "grade", "as_of_epoch", "x"]), inner
        )
    ),
    max_leaves=5,
)


def all_places(value: Json, path: JsonPath = ()) -> list[JsonPath]:
    inner: list[tuple[str | int, Json]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    return [path, *(p for key, each in inner for p in all_places(each, (*path, key)))]


def from_bytes(data: bytes) -> Dataset:
    root = Node(parse_json(data, "data.json"), Place("data.json"))
    dataset = shape.dataset(root, sha256="0" * 64, path=Path("data.json"))
    check(dataset, Place("data.json"))
    return dataset


def read_or_refused(data: bytes) -> Dataset | DatasetError:
    try:
        return from_bytes(data)
    except DatasetError as error:
        return error


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_with_a_remedy(data: bytes) -> None:
    with pytest.raises(DatasetError) as caught:
        from_bytes(data)

    assert caught.value.what.endswith(".")
    assert caught.value.remedy


@given(st.sampled_from(all_places(a_data_file())[1:]), json_values)
def test_any_one_change_is_read_or_refused(path: JsonPath, value: Json) -> None:
    data = a_data_file()
    target = data
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value

    outcome = read_or_refused(json.dumps(data).encode())

    if isinstance(outcome, DatasetError):
        assert outcome.where.startswith("data.json")
        assert outcome.remedy
        return
    for query in outcome.queries:
        assert query.grades
        for doc in query.grades:
            assert outcome.in_scope(doc, query.filter)
            assert outcome.visible(doc, query.temporal)


@given(st.integers(0, 3), st.integers(0, 3))
def test_a_window_shows_what_any_moment_in_it_shows(start: int, length: int) -> None:
    dataset = from_bytes(json.dumps(a_data_file()).encode())
    end = start + length
    moments = [AsOfEpoch(epoch) for epoch in range(start, end + 1)]

    for doc in dataset.document_ids:
        got = dataset.visible(doc, BetweenEpochs(start, end))
        assert got is any(dataset.visible(doc, moment) for moment in moments)


def test_the_present_is_the_end_of_the_last_epoch() -> None:
    dataset = from_bytes(json.dumps(a_data_file()).encode())

    for doc in dataset.document_ids:
        last = AsOfEpoch(dataset.last_epoch)
        assert dataset.visible(doc, Present()) is dataset.visible(doc, last)
        assert dataset.visible(doc, Historical())
