"""Read a judged data set from a file, or say exactly why it cannot be measured."""

import hashlib
from pathlib import Path

from harness.dataset import shape
from harness.dataset.jsonfile import display, parse_json, read_bytes
from harness.dataset.model import Dataset
from harness.dataset.node import Node
from harness.dataset.place import Place
from harness.dataset.rules import check

LARGEST_FILE = 64 << 20
"""Bytes a data file may have: some hundred times a large hand-made collection, and
little enough to parse in the memory of a small machine."""


def read_dataset(path: Path) -> Dataset:
    """Return the data set in the JSON file at *path*; ``docs/datasets.md`` has it all.

    Raises:
        DatasetError: The first thing wrong with it, in the file's own order: naming
            the file, the JSON path, the value found, and what to do.
    """
    data = read_bytes(path, at_most=LARGEST_FILE)
    file = display(path)
    root = Node(parse_json(data, file), Place(file))
    sha256 = hashlib.sha256(data).hexdigest()
    dataset = shape.dataset(root, sha256=sha256, path=path)
    check(dataset, Place(file))
    return dataset
