"""A small whole data file, and ways to change one thing in it."""

import copy
import json
import os
from pathlib import Path
from typing import Any

import pytest

from harness.dataset.model import Dataset
from harness.dataset.read import read_dataset
from harness.errors import DatasetError

ROOT = Path(__file__).parents[1]

# Any: what a person may write into a JSON file, wrong kinds included.
Json = Any
JsonPath = tuple[str | int, ...]

_DATA: Json = {
    "_comment": "two rooms, two corrections in epochs 1 and 3",
    "name": "small",
    "version": 2,
    "description": "for tests",
    "concepts": {"sedan": "vehicle", "automobile": "vehicle"},
    "documents": [
        {"id": "a", "wing": "home", "room": "kitchen", "content": "The oven runs hot"},
        {"id": "b", "wing": "home", "room": "garden", "content": "Slugs hate copper"},
        {"id": "c", "wing": "work", "room": "desk", "content": "Release on Monday"},
        {"id": "d", "wing": "work", "room": "desk", "content": "Limit is ten a minute"},
    ],
    "supersessions": [
        {"epoch": 1, "doc": "c", "new_id": "c2", "content": "Release on Tuesday"},
        {"epoch": 3, "doc": "d", "new_id": "d2", "content": "Limit is nine a minute"},
    ],
    "mentions": [
        {"doc": "a", "entity": "Smith", "kind": "person"},
        {"doc": "b", "entity": "Smith", "kind": "person"},
    ],
    "queries": [
        {
            "id": "q-oven",
            "category": "graph",
            "text": "oven",
            "relevant": [{"doc": "a", "grade": 2}, {"doc": "b", "grade": 1}],
        },
        {
            "id": "q-release",
            "category": "temporal",
            "text": "release day",
            "filter": {"wing": "work", "room": None},
            "temporal": {"as_of_epoch": 0},
            "runs": ["lexical", "hybrid"],
            "relevant": [{"doc": "c", "grade": 2}],
        },
        {
            "id": "q-limit",
            "category": "temporal",
            "text": "limit",
            "temporal": {"between_epochs": [0, 3]},
            "relevant": [{"doc": "d", "grade": 2}, {"doc": "d2", "grade": 1}],
        },
    ],
}


def a_data_file() -> Json:
    """Return a valid data file as JSON values, free to be changed."""
    return copy.deepcopy(_DATA)


def with_value(path: JsonPath, value: Json, data: Json = None) -> Json:
    """Return the data file with *value* at *path*; a list may grow by one item."""
    data = a_data_file() if data is None else data
    target = data
    for step in path[:-1]:
        target = target[step]
    if isinstance(target, list) and path[-1] == len(target):
        target.append(value)
    else:
        target[path[-1]] = value
    return data


def without(path: JsonPath) -> Json:
    """Return the data file with nothing at *path*."""
    data = a_data_file()
    target = data
    for step in path[:-1]:
        target = target[step]
    del target[path[-1]]
    return data


def write(folder: Path, data: Json) -> Path:
    """Write *data* as a file of *folder*: bytes as they are, else as JSON."""
    path = folder / "data.json"
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    return path


def read(folder: Path, data: Json) -> Dataset:
    """Return what the reader makes of *data*."""
    return read_dataset(write(folder, data))


def check_refusal(folder: Path, data: Json, place: str, what: str, remedy: str) -> None:
    """Assert that reading *data* is refused, naming place, value and remedy."""
    with pytest.raises(DatasetError) as caught:
        read(folder, data)
    error = caught.value
    assert error.where == f"{folder / 'data.json'}: {place}"
    assert what in error.what
    assert remedy in error.remedy


def a_case_file(name: str) -> Path:
    """Return a file of the shared cases, or skip where the folder is missing."""
    folder = Path(os.environ.get("HARNESS_CASES", ROOT.parent / "shared" / "cases"))
    path = folder / name
    if not path.exists():
        pytest.skip(f"no {path}: set HARNESS_CASES to the folder of shared cases")
    return path
