"""Read questions about conversations, in whichever layout the file has them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from harness.dataset.jsonfile import display
from harness.dataset.locomo.read import is_of_bare_sample, is_sample, read_locomo
from harness.dataset.longmemeval.model import Question
from harness.dataset.longmemeval.read import read_questions
from harness.dataset.longmemeval.stream import entries, open_data

Layout = Literal["LongMemEval", "LoCoMo"]


def read_conversations(path: Path, limit: int | None = None) -> Iterator[Question]:
    """Yield the questions of a LongMemEval or LoCoMo file, in its order.

    Args:
        path: The file; `layout_of` says which of the two it is.
        limit: How many questions at most.

    Raises:
        DatasetError: While iterating, where it is malformed.
    """
    if layout_of(path) == "LoCoMo":
        return read_locomo(path, limit)
    return read_questions(path, limit)


def layout_of(path: Path) -> Layout:
    """Tell the layout of a file from its first entry, and read no further.

    What is neither counts as LongMemEval, whose reader then says what is missing.

    Raises:
        DatasetError: The file cannot be read, or is no JSON.
    """
    with open_data(path) as file:
        first = next(entries(file, display(path)), None)
    if first is not None and (is_sample(first) or is_of_bare_sample(first)):
        return "LoCoMo"
    return "LongMemEval"
