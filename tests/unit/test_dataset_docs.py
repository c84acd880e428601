"""The page for people who write data files says what the code says."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.dataset.read import read_dataset
from tests.datafiles import ROOT

PAGE = (ROOT / "docs" / "datasets.md").read_text("utf-8")


def messages() -> Iterator[tuple[str, str]]:
    """Yield every refusal in the code: its place, and its text with … for values."""
    for source in sorted((ROOT / "harness" / "dataset").rglob("*.py")):
        for node in ast.walk(ast.parse(source.read_text("utf-8"))):
            match node:
                case ast.Call(func=ast.Attribute(attr="refuse"), args=[what, *_]):
                    yield f"{source.stem}-{node.lineno}", as_pattern(what)


def as_pattern(message: ast.expr) -> str:
    if isinstance(message, ast.Constant):
        return str(message.value)
    if not isinstance(message, ast.JoinedStr):
        return "…"
    pieces = (
        str(each.value) if isinstance(each, ast.Constant) else "…"
        for each in message.values
    )
    return "".join(pieces)


def test_the_example_is_a_valid_data_set(tmp_path: Path) -> None:
    block = re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert block is not None
    path = tmp_path / "example.json"
    path.write_text(block[1], "utf-8")

    assert read_dataset(path).name == json.loads(block[1])["name"]


@pytest.mark.parametrize(
    "message", [pytest.param(text, id=place) for place, text in messages()]
)
def test_every_message_stands_on_the_page(message: str) -> None:
    pieces = [piece.strip(" .,:;()'") for piece in message.split("…")]

    assert [piece for piece in pieces if piece not in PAGE] == []


def test_all_messages_are_looked_at() -> None:
    assert len(list(messages())) > 40
