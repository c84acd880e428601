"""What the containers of a run are told of each other."""

from pathlib import Path
from typing import Any

import pytest

from harness.runtime.container.credentials import Credentials, SecretFiles
from harness.runtime.container.hardening import GIB, Limits
from harness.runtime.container.specs import (
    ContainerEmbedder,
    Secrets,
    daemon_spec,
    embedder_spec,
)
from harness.runtime.embedder import EmbedderWish
from harness.runtime.images.catalogue import ImageSource
from harness.runtime.images.resolve import Resolved

LIMITS = Limits(memory_bytes=GIB, cpus=1, pids=64)
DIGEST = f"sha256:{'0' * 64}"


@pytest.fixture
def secrets(tmp_path: Path) -> Secrets:
    return Secrets(Credentials(), SecretFiles(tmp_path))


def an_image(**source: Any) -> Resolved:
    made = ImageSource(
        root="python", user="5:6", entrypoint=("x",), writable=("/tmp",), **source
    )
    return Resolved("image", DIGEST, DIGEST, "present", True, (), 0.0, made)


def an_embedder(**wish: Any) -> ContainerEmbedder:
    return ContainerEmbedder(
        an_image(role="embedder"),
        EmbedderWish(model="trigram-384", dimension=384, **wish),
    )


def test_daemon_finds_the_embedder_by_its_name_in_the_network(
    secrets: Secrets,
) -> None:
    embedder = an_embedder()
    spec = embedder_spec(embedder, files=secrets.files, limits=LIMITS)
    host, _, rest = embedder.told_daemon["PALACE_EMBEDDINGS_URL"][7:].partition(":")
    port = rest.removesuffix("/v1")

    assert host == spec.role
    assert spec.environment["EMBEDDER_BIND"] == f"0.0.0.0:{port}"
    assert int(port) in spec.publish


def test_both_ports_of_the_embedder_are_published_at_any_free_ones(
    secrets: Secrets,
) -> None:
    spec = embedder_spec(an_embedder(), files=secrets.files, limits=LIMITS)
    bound = {
        int(spec.environment[name].rpartition(":")[2])
        for name in ("EMBEDDER_BIND", "EMBEDDER_CONTROL_BIND")
    }

    assert len(bound) == 2
    assert dict(spec.publish) == dict.fromkeys(bound, 0)


def test_embedder_is_as_confined_as_the_others(secrets: Secrets) -> None:
    spec = embedder_spec(an_embedder(), files=secrets.files, limits=LIMITS)

    assert (spec.user, spec.limits) == ("5:6", LIMITS)
    assert [folder.path for folder in spec.writable] == ["/tmp"]
    assert spec.files == {}


def test_files_for_the_embedder_are_lent_open_and_read_only(
    tmp_path: Path, secrets: Secrets
) -> None:
    ours = tmp_path / "concepts.json"
    ours.write_text("{}")
    ours.chmod(0o600)
    wish = an_embedder(
        settings={"EMBEDDER_LATENCY_MS": "5"}, files={"EMBEDDER_CONCEPTS": ours}
    )
    spec = embedder_spec(wish, files=secrets.files, limits=LIMITS)

    ((here, there),) = spec.files.items()
    assert spec.environment["EMBEDDER_CONCEPTS"] == there
    assert spec.environment["EMBEDDER_LATENCY_MS"] == "5"
    assert (here.read_text(), here.stat().st_mode & 0o777) == ("{}", 0o444)
    assert here.parent == tmp_path / "secrets"


def test_what_the_daemon_is_told_beside_wins(secrets: Secrets) -> None:
    spec = daemon_spec(
        an_image(role="palace", build="release"),
        "release",
        secrets=secrets,
        limits=LIMITS,
        port=8123,
        settings={"PALACE_AUTO_INDEX_AFTER_S": "7", "PALACE_RANKING_PRESET": "recall"},
    )

    assert dict(spec.publish) == {8080: 8123}
    assert spec.environment["PALACE_AUTO_INDEX_AFTER_S"] == "7"
    assert spec.environment["PALACE_RANKING_PRESET"] == "recall"
