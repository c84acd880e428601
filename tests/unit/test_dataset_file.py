"""A file that is no readable JSON is refused with one message that helps."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.dataset.jsonfile import read_bytes
from harness.dataset.read import LARGEST_FILE, read_dataset
from harness.errors import DatasetError, ExitCode
from tests.datafiles import a_data_file, write


def refused(path: Path) -> DatasetError:
    with pytest.raises(DatasetError) as caught:
        read_dataset(path)
    assert caught.value.exit_code == ExitCode.USAGE
    assert str(caught.value).startswith(str(path))
    assert caught.value.remedy
    return caught.value


def test_missing_file(tmp_path: Path) -> None:
    error = refused(tmp_path / "none.json")

    assert error.what == "there is no such file."
    assert error.where == str(tmp_path / "none.json")


def test_folder(tmp_path: Path) -> None:
    assert refused(tmp_path).what == "this is a folder, wanted a file."


def test_device_is_not_opened() -> None:
    assert "a pipe or a device" in refused(Path(os.devnull)).what


@pytest.fixture
def ordinary_user() -> Iterator[None]:
    """Give up root's right to read everything, where the tests run as root."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    yield
    os.seteuid(before)


def test_file_that_may_not_be_read(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    path = write(tmp_path, a_data_file())
    path.chmod(0)
    request.getfixturevalue("ordinary_user")

    assert refused(path).what == "the file cannot be read: Permission denied."


def test_path_the_system_refuses(tmp_path: Path) -> None:
    error = refused(tmp_path / ("long" * 100))

    assert error.what == "the file cannot be read: File name too long."


def test_path_through_a_file(tmp_path: Path) -> None:
    write(tmp_path, a_data_file())

    error = refused(tmp_path / "data.json" / "data.json")

    assert error.what == "the file cannot be read: Not a directory."


def test_200_mb_are_refused_before_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(200_000_000)

    error = refused(path)

    assert "200,000,000 bytes" in error.what
    assert f"at most {LARGEST_FILE:,}" in error.what
    assert "64 MiB" in error.remedy


def test_file_that_is_larger_than_it_says_is_not_read_to_its_end() -> None:
    path = Path("/proc/self/status")
    if not path.exists():
        pytest.skip("no /proc here, whose files say they are empty")

    with pytest.raises(DatasetError) as caught:
        read_bytes(path, at_most=16)

    assert "the file has 17 bytes or more, wanted at most 16" in caught.value.what


@pytest.mark.parametrize("data", [b"", b" \n\t\r\n"])
def test_empty_file(tmp_path: Path, data: bytes) -> None:
    error = refused(write(tmp_path, data))

    assert error.what == f"the file is empty ({len(data)} bytes, none of them JSON)."


@pytest.mark.parametrize("kept", [1, 40, 200, 600])
def test_truncated_file(tmp_path: Path, kept: int) -> None:
    whole = json.dumps(a_data_file()).encode()

    error = refused(write(tmp_path, whole[:kept]))

    assert "the JSON ends too early, at line 1, column" in error.what
    assert error.remedy == "The file looks cut off: copy or write it again."


def test_every_truncation_is_refused(tmp_path: Path) -> None:
    whole = json.dumps(a_data_file()).encode()

    for kept in range(len(whole)):
        refused(write(tmp_path, whole[:kept]))


def test_invalid_json_names_line_and_column(tmp_path: Path) -> None:
    error = refused(write(tmp_path, b'{\n  "name": "x",,\n  "version": 1\n}'))

    assert "broken at line 2, column 15" in error.what


def test_text_after_the_json_is_refused(tmp_path: Path) -> None:
    error = refused(write(tmp_path, b'{"name": "x"}\n{}'))

    assert "broken at line 2, column 1: Extra data" in error.what


def test_byte_that_is_no_utf8_is_named(tmp_path: Path) -> None:
    error = refused(write(tmp_path, '{"name": "café"}'.encode("latin-1")))

    assert error.what.startswith("byte 13 (0xE9) is not UTF-8")
    assert error.remedy == "Save the file as UTF-8."


def test_byte_order_mark_is_refused(tmp_path: Path) -> None:
    error = refused(write(tmp_path, b"\xef\xbb\xbf{}"))

    assert error.what == "the file starts with a byte order mark (EF BB BF)."


@pytest.mark.parametrize(
    ("encoding", "mark"), [("utf-16-le", "FF FE"), ("utf-16-be", "FE FF")]
)
def test_utf16_is_recognised(tmp_path: Path, encoding: str, mark: str) -> None:
    error = refused(write(tmp_path, "\ufeff{}".encode(encoding)))

    assert error.what == f"the file is UTF-16 (it starts with {mark}), wanted UTF-8."


def test_endless_nesting_is_refused(tmp_path: Path) -> None:
    error = refused(write(tmp_path, b"[" * 200_000))

    assert "nested too deeply" in error.what


def test_endless_number_is_refused(tmp_path: Path) -> None:
    error = refused(write(tmp_path, b'{"version": ' + b"9" * 5000 + b"}"))

    assert error.what.startswith("a number cannot be read")


@pytest.mark.parametrize(
    ("token", "shown"),
    [("NaN", "nan"), ("Infinity", "inf"), ("-Infinity", "-inf"), ("1e999", "inf")],
)
def test_number_json_does_not_have_is_refused(
    tmp_path: Path, token: str, shown: str
) -> None:
    text = json.dumps(a_data_file()).replace('"grade": 1', f'"grade": {token}', 1)

    error = refused(write(tmp_path, text.encode()))

    assert error.where.endswith(": queries[0].relevant[1].grade")
    assert error.what == f"found {shown}, which is no JSON number."


def test_repeated_key_is_refused(tmp_path: Path) -> None:
    text = json.dumps(a_data_file()).replace(
        '"text": "limit"', '"text": "limit", "id": "again"', 1
    )

    error = refused(write(tmp_path, text.encode()))

    assert error.where.endswith(": queries[2].id")
    assert error.what == "the key 'id' is given twice in one object."


def test_repeated_comment_is_refused_too(tmp_path: Path) -> None:
    error = refused(write(tmp_path, b'{"_a": 1, "_a": 2}'))

    assert error.where.endswith(": _a")


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (rb'{"name": "x\ud800"}', "name"),
        (rb'{"concepts": {"\udfff": "x"}}', r"concepts['\udfff']"),
    ],
)
def test_half_a_surrogate_pair_is_refused(
    tmp_path: Path, data: bytes, place: str
) -> None:
    error = refused(write(tmp_path, data))

    assert error.where.endswith(f": {place}")
    assert "holds half of a surrogate pair" in error.what


def test_whole_surrogate_pair_is_a_character(tmp_path: Path) -> None:
    text = json.dumps(a_data_file()).replace('"small"', r'"\ud83c\udff0"', 1)

    assert read_dataset(write(tmp_path, text.encode())).name == "🏰"


def test_file_name_that_is_no_utf8_can_be_shown(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"\xff.json")

    with pytest.raises(DatasetError) as caught:
        read_dataset(path)

    assert caught.value.where.endswith("\\udcff.json")
