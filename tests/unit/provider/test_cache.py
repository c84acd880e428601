"""What is kept comes back bit for bit or is refused by name; nothing is asked twice."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from harness.errors import ExitCode
from harness.provider.batches import piece
from harness.provider.cache import FILE, VectorCache
from harness.provider.failures import CacheError, ProviderRefusedError
from harness.provider.options import EmbeddingOptions
from tests.fake_endpoint import (
    Answer,
    FakeEndpoint,
    an_embedder,
    refusal,
    vector_of,
    vectors,
)

ONE, TWO = piece("one").sha256, piece("two").sha256


def a_cache(folder: Path, model: str = "m", dimension: int = 3) -> VectorCache:
    return VectorCache(folder, endpoint="host/v1", model=model, dimension=dimension)


def a_row(*numbers: float) -> NDArray[np.float32]:
    return np.array(numbers, np.float32)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[VectorCache]:
    made = a_cache(tmp_path)
    yield made
    made.close()


def test_vector_comes_back_bit_for_bit(cache: VectorCache) -> None:
    row = a_row(0.1, -0.0, 1e-42)
    cache.keep({ONE: row})
    found = cache.find([TWO, ONE])
    assert list(found) == [ONE]
    kept = found[ONE]
    assert kept is not None
    assert kept.tobytes() == row.tobytes()


def test_first_vector_of_a_text_stays(cache: VectorCache) -> None:
    cache.keep({ONE: a_row(1, 2, 3)})
    cache.keep({ONE: a_row(4, 5, 6)})
    kept = cache.find([ONE])[ONE]
    assert kept is not None
    assert kept.tolist() == [1, 2, 3]


def test_text_known_to_be_too_long_has_no_vector(cache: VectorCache) -> None:
    cache.mark_too_long(ONE)
    assert cache.find([ONE, TWO]) == {ONE: None}


def test_more_texts_than_one_statement_takes_are_found(cache: VectorCache) -> None:
    names = [piece(str(number)).sha256 for number in range(1201)]
    cache.keep({name: a_row(1, 2, number) for number, name in enumerate(names)})
    assert len(cache.find(names)) == 1201


def test_models_and_dimensions_do_not_mix(tmp_path: Path) -> None:
    first = a_cache(tmp_path)
    first.keep({ONE: a_row(1, 2, 3)})
    first.close()
    for other in (a_cache(tmp_path, model="n"), a_cache(tmp_path, dimension=2)):
        assert other.find([ONE]) == {}
        other.close()


def damaged(folder: Path, statement: str, *values: object) -> None:
    database = sqlite3.connect(folder / FILE)
    with database:
        database.execute(statement, values)
    database.close()


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("update vector set numbers = ?", bytes(12)),
        ("update vector set numbers = ?", b"short"),
        ("update vector set numbers = ?", b""),
        ("update vector set text = ?", TWO),
    ],
)
def test_vector_that_is_not_what_was_kept_is_named_and_not_used(
    tmp_path: Path, statement: str, value: bytes
) -> None:
    cache = a_cache(tmp_path)
    cache.keep({ONE: a_row(1, 2, 3)})
    damaged(tmp_path, statement, value)
    with pytest.raises(CacheError, match="is not what was kept") as caught:
        cache.find([ONE, TWO])
    cache.close()
    assert str(tmp_path / FILE) in str(caught.value)
    assert "--embedding-cache" in caught.value.remedy
    assert caught.value.exit_code == ExitCode.UNAVAILABLE


def test_file_that_is_no_cache_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"not a database, but long enough to be one" * 100)
    with pytest.raises(CacheError, match="damaged: file is not a database"):
        a_cache(tmp_path)


def test_torn_file_is_named(tmp_path: Path) -> None:
    cache = a_cache(tmp_path)
    cache.keep({piece(str(n)).sha256: a_row(1, 2, 3) for n in range(1000)})
    cache.close()
    whole = (tmp_path / FILE).read_bytes()
    middle = len(whole) // 2
    (tmp_path / FILE).write_bytes(whole[:middle] + b"\xff" * (len(whole) - middle))
    cache = a_cache(tmp_path)
    with pytest.raises(CacheError, match="damaged"):
        cache.find([piece(str(n)).sha256 for n in range(1000)])
    cache.close()


def test_newer_format_is_refused(tmp_path: Path) -> None:
    a_cache(tmp_path).close()
    damaged(tmp_path, "pragma user_version = 2")
    with pytest.raises(CacheError, match="format 2"):
        a_cache(tmp_path)


def test_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CacheError, match="cannot be used"):
        a_cache(tmp_path / "file")


WRITER = """
import sys
from pathlib import Path
import numpy as np
from harness.provider.batches import piece
from harness.provider.cache import VectorCache

folder, number = Path(sys.argv[1]), float(sys.argv[2])
cache = VectorCache(folder, endpoint="host/v1", model="m", dimension=3)
for start in range(0, 300, 10):
    names = [piece(str(n)).sha256 for n in range(start, start + 10)]
    cache.keep({name: np.full(3, number, np.float32) for name in names})
    found = cache.find(names)
    print(" ".join(str(int(found[name][0])) for name in names))
if number == 3:
    import os, signal
    os.kill(os.getpid(), signal.SIGKILL)
cache.close()
"""


def test_several_processes_agree_and_a_killed_one_loses_nothing(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), str(number)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in (1, 2, 3)
    ]
    told = [writer.communicate()[0].split() for writer in writers]
    assert told[0] == told[1] == told[2]
    assert len(told[0]) == 300
    cache = a_cache(tmp_path)
    found = cache.find([piece(str(number)).sha256 for number in range(300)])
    cache.close()
    assert len(found) == 300


def test_second_run_asks_for_nothing_and_has_the_same_bits(tmp_path: Path) -> None:
    texts = ["one", "two", "three"]
    with an_embedder(FakeEndpoint(), cache=tmp_path) as embedder:
        first = embedder.embed_documents(texts)
    # Another run's endpoint may answer a little differently.
    drifting = FakeEndpoint()
    drifting.meet = lambda texts: vectors(
        [[number + 1e-4 for number in vector_of(text)] for text in texts]
    )
    with an_embedder(drifting, cache=tmp_path) as embedder:
        second = embedder.embed_documents(texts)
        counts = embedder.counts
    assert drifting.sent == []
    assert counts.cache_hits == 3
    assert counts.tokens == 0
    assert [[part.vector.tobytes() for part in parts] for parts in first] == [
        [part.vector.tobytes() for part in parts] for parts in second
    ]


def test_batches_done_before_a_failure_are_not_asked_for_again(tmp_path: Path) -> None:
    options = EmbeddingOptions(texts_per_request=2, in_flight=1)
    texts = [str(number) for number in range(10)]
    failing = FakeEndpoint(lambda texts: refusal(401) if "6" in texts else None)
    with (
        an_embedder(failing, cache=tmp_path, options=options) as embedder,
        pytest.raises(ProviderRefusedError),
    ):
        embedder.embed_documents(texts)
    mended = FakeEndpoint()
    with an_embedder(mended, cache=tmp_path, options=options) as embedder:
        assert len(embedder.embed_documents(texts)) == 10
    assert mended.sent == [["6", "7"], ["8", "9"]]


def test_text_found_too_long_once_is_not_tried_whole_again(tmp_path: Path) -> None:
    text = "words " * 100

    def meet(texts: Sequence[str]) -> Answer:
        return refusal(400, "too long") if max(map(len, texts)) > 400 else None

    found = []
    endpoints = [FakeEndpoint(meet), FakeEndpoint(meet)]
    for endpoint in endpoints:
        with an_embedder(endpoint, cache=tmp_path) as embedder:
            (parts,) = embedder.embed_documents([text])
            found.append([(part.text, part.vector.tobytes()) for part in parts])
    assert len(endpoints[0].sent) > 1
    assert endpoints[1].sent == []
    assert found[0] == found[1]


def test_other_model_under_the_same_name_is_noticed(tmp_path: Path) -> None:
    with an_embedder(FakeEndpoint(), cache=tmp_path):
        pass
    other = FakeEndpoint(
        lambda texts: vectors([vector_of(text)[::-1] for text in texts])
    )
    with pytest.raises(CacheError, match="another model"):
        an_embedder(other, cache=tmp_path)
