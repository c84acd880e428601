"""An older run's images: one for each part that ran, or none at all."""

from pathlib import Path

import pytest

from harness.errors import ExitCode, IncomparableError
from harness.report.model import ImageFacts
from harness.runtime.choice import Wish
from harness.runtime.container import pinned as module
from harness.runtime.container.pinned import pinned
from harness.runtime.embedder import EmbedderWish
from harness.runtime.endpoints import Endpoint
from harness.runtime.engine import Engine

CLONE = Path(__file__).resolve().parents[4]
ENGINE = Engine(
    endpoint=Endpoint("unix:///run/engine.sock", "DOCKER_HOST"),
    product="docker",
    version="28.0",
    api=(1, 48),
    architecture="amd64",
    root="",
    rootless=False,
)
DIGEST = f"sha256:{'0' * 64}"
EMBEDDER = EmbedderWish(model="trigram-384", dimension=384)


@pytest.mark.parametrize(
    ("names", "wish", "wanted"),
    [
        (["postgres-18"], Wish(), "postgres, palace"),
        (["postgres-18", "postgres-17"], Wish(), "postgres, palace"),
        (["postgres-18", "palace-debug", "embedder"], Wish(), "postgres, palace"),
        (
            ["postgres-18", "palace-debug"],
            Wish(embedder=EMBEDDER),
            "postgres, palace, embedder",
        ),
        (["postgres-18", "palace-debug", "palace-release"], Wish(), "postgres, palace"),
        ([], Wish(), "postgres, palace"),
    ],
)
def test_images_that_are_not_those_of_such_a_run_are_refused(
    monkeypatch: pytest.MonkeyPatch, names: list[str], wish: Wish, wanted: str
) -> None:
    monkeypatch.setattr(module, "discover", lambda: ENGINE)
    images = tuple(ImageFacts(name=name, digest=DIGEST) for name in names)
    with pytest.raises(IncomparableError) as caught:
        pinned(images, wish, notify=lambda _: None, clone=CLONE)

    assert f"images are {', '.join(names) or 'none'}, and not" in caught.value.what
    assert f"one for each of {wanted} that" in caught.value.what
    assert caught.value.exit_code == ExitCode.NOTHING_MEASURED
