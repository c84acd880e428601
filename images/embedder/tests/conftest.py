"""One embedder for the tests that can share it, as new for each of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.serving import RunningEmbedder


@pytest.fixture(scope="session")
def shared_embedder(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[RunningEmbedder]:
    """An embedder without any settings, stopped at the end."""
    with RunningEmbedder.start(tmp_path_factory.mktemp("embedder")) as embedder:
        yield embedder


@pytest.fixture
def embedder(shared_embedder: RunningEmbedder) -> RunningEmbedder:
    """The shared embedder without a fault, its counts at zero."""
    shared_embedder.turn("ok")
    shared_embedder.wait_for(open=0)
    shared_embedder.reset()
    return shared_embedder
