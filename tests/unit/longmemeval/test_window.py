"""The window gives what the standard parser gives, wherever its edge falls."""

import io
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.dataset.jsonfile import JsonValue
from harness.dataset.longmemeval.window import JsonWindow
from harness.dataset.place import Place
from harness.errors import DatasetError

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


class Dribble(io.BytesIO):
    """A file that gives a few bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        super().__init__(data)
        self._size = size

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(self._size if size == -1 else min(self._size, size or 0))


def window(data: bytes, *, size: int = 1 << 20) -> JsonWindow:
    return JsonWindow(Dribble(data, size), Place("f.json"))


def items(data: bytes, *, size: int = 1 << 20) -> list[JsonValue]:
    return list(window(data, size=size).items())


@settings(deadline=None)
@given(st.lists(VALUES), st.integers(1, 5), st.booleans())
def test_any_edge_gives_what_the_whole_text_gives(
    values: list[JsonValue], size: int, ascii_only: bool
) -> None:
    data = json.dumps(values, ensure_ascii=ascii_only).encode()

    assert items(data, size=size) == values


@pytest.mark.parametrize("size", range(1, 9))
@pytest.mark.parametrize(
    "text",
    [
        "[true, false, null]",
        "[-12.5e-3, 1234567890, 7]",
        '["\\ud83d\\ude00", "\\\\", "\\""]',
        '["Åse 😀", {"ключ": "değer"}]',
        '[ {} , [ ] , "" ]\n\n',
    ],
)
def test_no_token_is_cut_in_two(text: str, size: int) -> None:
    assert items(text.encode(), size=size) == json.loads(text)


def test_a_byte_order_mark_is_passed_over() -> None:
    assert items(b"\xef\xbb\xbf[1]", size=2) == [1]


def test_members_come_one_key_at_a_time() -> None:
    whole = window(b'{"a": [1, 2], "b": {"c": 3}, "d": 4}', size=3)

    assert {key: whole.value() for key in whole.members()} == {
        "a": [1, 2],
        "b": {"c": 3},
        "d": 4,
    }
    assert whole.peek() == ""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('[{"a": 1}]', True),
        ("[\n\n  {", True),
        ("[[1]]", False),
        ("[]", False),
        ("[", False),
        ('{"a": 1}', False),
    ],
)
def test_a_list_of_objects_is_told_by_its_first_item(text: str, wanted: bool) -> None:
    assert window(text.encode(), size=1).is_list_of_objects() is wanted


@pytest.mark.parametrize("size", [1, 4, 1 << 20])
@pytest.mark.parametrize(
    ("text", "byte"),
    [
        ('["åå", 1, }]', 12),
        ('["åå" 1]', 8),
        ("[1, nope, 2, 3, 4, 5, 6, 7, 8, 9]", 4),
        ('[{"a": 1, b: 2}, 3, 4, 5, 6, 7, 8, 9]', 10),
        ('["a\tb", "more", "and more", "and more"]', 3),
    ],
)
def test_broken_json_is_named_by_its_byte(text: str, byte: int, size: int) -> None:
    with pytest.raises(DatasetError) as caught:
        items(text.encode(), size=size)

    assert f"broken at byte {byte}:" in caught.value.what


@pytest.mark.parametrize("text", ['["abc', "[1, 2", "[1,", '[{"a": ', '[{"a": tr'])
def test_a_text_that_ends_too_early_looks_cut_off(text: str) -> None:
    with pytest.raises(DatasetError) as caught:
        items(text.encode(), size=2)

    assert "cut off" in caught.value.remedy or "broken" in caught.value.what


def test_what_is_not_utf8_is_named_by_its_byte() -> None:
    with pytest.raises(DatasetError) as caught:
        items(b'["abcdef", "\xff"]', size=3)

    assert caught.value.what == "byte 12 (0xFF) is not UTF-8: invalid start byte."


def test_a_value_without_end_is_refused_before_it_fills_the_memory() -> None:
    file = io.BytesIO(b'["' + b"x" * (5 << 20))
    endless = JsonWindow(file, Place("f.json"), at_most=1000)

    with pytest.raises(DatasetError) as caught:
        list(endless.items())

    assert caught.value.what == (
        "the value that starts at byte 1 has more than 1,000 characters."
    )
    assert file.tell() <= 2 << 20


def test_a_value_nested_without_end_is_refused() -> None:
    with pytest.raises(DatasetError, match="nested too deeply"):
        items(b"[" * 200_000)


def test_a_number_of_thousands_of_digits_is_refused() -> None:
    with pytest.raises(DatasetError, match="number cannot be read"):
        items(b"[" + b"1" * 5000 + b"]")


def test_a_disk_that_fails_is_said_to_fail() -> None:
    class Failing(io.BytesIO):
        def read(self, _size: int | None = -1, /) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(DatasetError, match="Input/output error"):
        JsonWindow(Failing(), Place(str(Path("f.json")))).value()
