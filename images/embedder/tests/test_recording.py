"""What a file of answers may hold, and what becomes of one that was cut short."""

from __future__ import annotations

import asyncio
import json
import resource
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from structlog.testing import capture_logs

from embedder.errors import Refused, StartupError
from embedder.playback import Recorder, Replay
from embedder.recording import Recording
from embedder.wire import Wanted


def wanted(*texts: str, dimension: int | None = 3, model: str = "m") -> Wanted:
    return Wanted(model, list(texts), dimension, "float")


def rows(*values: float) -> NDArray[np.float32]:
    return np.array([[value, 0.1, -1e-30] for value in values], np.float32)


def recorded(path: Path, *texts: str) -> bytes:
    """Record a vector for each text, and return the file."""
    recording = Recording.extend(path)
    recording.add(wanted(), texts, rows(*map(len, texts)))
    recording.close()
    return path.read_bytes()


def complaint(path: Path) -> str:
    with pytest.raises(StartupError) as caught:
        Recording.read(path)
    return str(caught.value)


class Service:
    """Answers a text's length, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    async def embed(self, wanted: Wanted) -> NDArray[np.float32]:
        self.asked.append(wanted.texts)
        return rows(*map(len, wanted.texts))

    async def close(self) -> None: ...


def test_what_was_added_is_read_to_the_bit(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    texts = ["a", "bb", "ccc"]
    recorded(path, *texts)

    got = Recording.read(path).vectors(wanted("ccc", "a", "a"))

    assert got.tobytes() == rows(3, 1, 1).tobytes()


def test_a_line_holds_the_hash_and_not_the_text(tmp_path: Path) -> None:
    line = recorded(tmp_path / "record.jsonl", "abc")

    # SHA-256 of "abc" as in FIPS 180-2, appendix B.1; 3.0 is 0x40400000.
    value = json.loads(line)
    assert value["sha256"] == (
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
    assert (value["model"], value["dimension"], value["asked"]) == ("m", 3, True)
    assert value["vector"].startswith("AABAQ")
    assert value.keys() == {"model", "dimension", "asked", "sha256", "vector"}


def test_a_torn_last_line_is_dropped_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    whole = recorded(path, "a", "bb")
    end = len(whole) - len(whole.splitlines()[1]) - 1
    for size in range(end + 1, len(whole) - 1):
        path.write_bytes(whole[:size])
        with capture_logs() as logs:
            recording = Recording.read(path)

        assert recording.missing(wanted("a", "bb")) == ["bb"]
        assert [(log["event"], log["line"]) for log in logs] == [
            ("torn_line_dropped", 2)
        ]
        assert path.read_bytes() == whole[:size]


def test_a_torn_last_line_is_cut_off_before_more_is_recorded(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    whole = recorded(path, "a", "bb")
    path.write_bytes(whole[:-5])

    assert recorded(path, "bb", "ccc").splitlines()[:2] == whole.splitlines()
    assert Recording.read(path).missing(wanted("a", "bb", "ccc")) == []


def test_a_whole_last_line_without_its_end_counts(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    whole = recorded(path, "a", "bb")
    path.write_bytes(whole[:-1])

    assert Recording.read(path).missing(wanted("a", "bb")) == []
    assert recorded(path, "ccc").startswith(whole)
    assert Recording.read(path).missing(wanted("bb", "ccc")) == []


@pytest.mark.parametrize(
    "change",
    [
        {"model": 7},
        {"dimension": 2},
        {"dimension": "3"},
        {"dimension": True},
        {"asked": 1},
        {"sha256": "ab"},
        {"sha256": None},
        {"sha256": "z" * 64},
        {"vector": "AAAA"},
        {"vector": "!"},
        {"vector": None},
        # A NaN, 0x7FC00000.
        {"vector": "AADAfwAAAAAAAAAA"},
        {"text": "abc"},
    ],
)
def test_a_bad_line_is_refused_by_its_number(
    tmp_path: Path, change: dict[str, object]
) -> None:
    path = tmp_path / "record.jsonl"
    first, second = recorded(path, "a", "bb").splitlines()
    bad = json.dumps({**json.loads(second), **change}).encode()
    path.write_bytes(b"\n".join([first, bad, b""]))

    assert complaint(path).startswith(f"{path}:2: ")


@pytest.mark.parametrize("bad", [b"", b"[]", b'{"model": "m"', b"\xff"])
def test_a_line_that_is_none_is_refused_by_its_number(
    tmp_path: Path, bad: bytes
) -> None:
    path = tmp_path / "record.jsonl"
    first, second = recorded(path, "a", "bb").splitlines()
    path.write_bytes(b"\n".join([first, bad, second, b""]))

    assert complaint(path).startswith(f"{path}:2: ")


def test_two_vectors_for_one_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    line = json.loads(recorded(path, "a"))
    line["vector"] = "AABAQAAAAAAAAAAA"
    path.write_bytes(path.read_bytes() + json.dumps(line).encode() + b"\n")

    assert "another vector" in complaint(path)


def test_the_same_line_twice_is_one(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    path.write_bytes(recorded(path, "a") * 2)

    assert Recording.read(path).missing(wanted("a")) == []


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "none.jsonl"

    assert repr(str(path)) in complaint(path)


def test_only_one_records_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    recording = Recording.extend(path)
    with pytest.raises(StartupError, match="another embedder"):
        Recording.extend(path)
    recording.close()

    Recording.extend(path).close()


def test_a_file_that_cannot_grow_keeps_its_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    whole = recorded(path, "a")
    # The system writes as much of the second line as may be, as on a full disk.
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    recording = Recording.extend(path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 20, limits[1]))
    try:
        with pytest.raises(Refused) as caught:
            recording.add(wanted(), ["bb"], rows(2))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    recording.close()

    assert (caught.value.status, caught.value.code) == (500, "record_failed")
    assert recording.missing(wanted("a", "bb")) == ["bb"]
    assert path.read_bytes() == whole


def test_only_unknown_texts_are_asked_for_and_each_once(tmp_path: Path) -> None:
    service = Service()

    async def run() -> list[float]:
        recorder = Recorder(Recording.extend(tmp_path / "record.jsonl"), service)
        await recorder.vectors(wanted("a", "bb"))
        got = await recorder.vectors(wanted("ccc", "a", "ccc", "dddd"))
        await recorder.close()
        return [float(row[0]) for row in got]

    assert asyncio.run(run()) == [3, 1, 3, 4]
    assert service.asked == [["a", "bb"], ["ccc", "dddd"]]


def test_a_failure_is_not_recorded(tmp_path: Path) -> None:
    class Failing(Service):
        async def embed(self, wanted: Wanted) -> NDArray[np.float32]:
            raise Refused(429, f"{len(wanted.texts)} texts are too many, just now")

    async def run() -> None:
        recorder = Recorder(Recording.extend(tmp_path / "record.jsonl"), Failing())
        with pytest.raises(Refused):
            await recorder.vectors(wanted("a"))
        await recorder.close()

    asyncio.run(run())
    assert (tmp_path / "record.jsonl").read_bytes() == b""


def test_two_that_ask_at_once_get_the_first_answer(tmp_path: Path) -> None:
    class Fickle(Service):
        async def embed(self, wanted: Wanted) -> NDArray[np.float32]:
            self.asked.append(wanted.texts)
            number = len(self.asked)
            await asyncio.sleep(0)
            return rows(*[number] * len(wanted.texts))

    async def run() -> list[float]:
        recorder = Recorder(Recording.extend(tmp_path / "record.jsonl"), Fickle())
        both = await asyncio.gather(
            recorder.vectors(wanted("a")), recorder.vectors(wanted("a"))
        )
        await recorder.close()
        return [float(vectors[0, 0]) for vectors in both]

    assert asyncio.run(run()) == [1, 1]
    assert len((tmp_path / "record.jsonl").read_bytes().splitlines()) == 1


def test_a_model_that_changes_its_length_is_refused(tmp_path: Path) -> None:
    recording = Recording.extend(tmp_path / "record.jsonl")
    recording.add(wanted(dimension=None), ["a"], rows(1))
    with pytest.raises(Refused) as caught:
        recording.add(wanted(dimension=None), ["b"], rows(1)[:, :2])
    recording.close()

    assert (caught.value.status, caught.value.code) == (502, "upstream_unusable")


def test_a_replay_answers_what_was_recorded(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    recorded(path, "a")

    got = asyncio.run(Replay(Recording.read(path)).vectors(wanted("a")))

    assert got.tobytes() == rows(1).tobytes()


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (wanted("zz", "a", "yy"), "not_recorded"),
        (wanted("a", dimension=None), "not_recorded"),
        (wanted("a", dimension=4), "not_recorded"),
        (wanted("a", model="other"), "model_not_found"),
    ],
)
def test_a_replay_answers_nothing_else(
    tmp_path: Path, asked: Wanted, code: str
) -> None:
    path = tmp_path / "record.jsonl"
    recorded(path, "a")

    with pytest.raises(Refused) as caught:
        asyncio.run(Replay(Recording.read(path)).vectors(asked))

    assert (caught.value.status, caught.value.code) == (404, code)
