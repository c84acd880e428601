"""What a person types, with a real engine under it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import docker
import pytest

from harness.cli import main
from harness.errors import ExitCode
from harness.report.model import ImageFacts, Report
from harness.report.store import load, save
from harness.runtime.container.owner import Owner
from harness.runtime.container.session import Session
from harness.runtime.engine import Engine
from tests.docker.leftovers import ours

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("engine")]

GONE = f"sha256:{'0' * 64}"


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATASET", "OUT", "REPETITIONS", "SCALE", "THRESHOLD"):
        monkeypatch.delenv(f"EVAL_{name}", raising=False)


@pytest.fixture(scope="module")
def stored(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Measure the release build in containers, and keep the report."""
    assert engine.product
    path = tmp_path_factory.mktemp("reports") / "stored.json"
    words = ["--runtime", "containers", "--build", "release", "--repetitions", "0"]
    assert main(["eval", *words, "--out", str(path)]) == ExitCode.PASSED
    return path


@pytest.fixture
def another_image(stored: Path, client: docker.DockerClient) -> Iterator[str]:
    """Make an image that works like the daemon's, and that no lock knows."""
    daemon = digest_of(load(stored), "palace-release")
    container = client.containers.create(daemon)
    made = container.commit(message="as from older sources")
    container.remove()
    yield str(made.id)
    client.images.remove(str(made.id))


def digest_of(report: Report, name: str) -> str:
    """Look up one image of a report."""
    images = report.environment.images
    return next(image.digest for image in images if image.name == name)


def with_daemon(stored: Path, digest: str, folder: Path) -> Path:
    """Keep the stored report anew, as if the daemon's image had been another."""
    report = load(stored)
    images = tuple(
        ImageFacts(name=image.name, digest=digest)
        if image.name == "palace-release"
        else image
        for image in report.environment.images
    )
    environment = report.environment.model_copy(update={"images": images})
    path = folder / "changed.json"
    save(report.model_copy(update={"environment": environment}), path)
    return path


def test_report_says_which_build_and_engine_and_images_it_was(
    stored: Path, engine: Engine
) -> None:
    got = load(stored)

    assert got.environment.runtime == "containers"
    assert got.environment.engine == f"{engine.product} {engine.version}"
    assert [image.name for image in got.environment.images] == [
        "postgres-18",
        "palace-release",
    ]
    assert got.daemon.build.name == "release"
    assert got.daemon.build.evidence["assertions"] is False


def test_report_is_reproduced_to_the_bit_scores_included(
    stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "again.json"
    code = main(["reproduce", str(stored), "--json", "--out", str(out)])

    got = json.loads(capsys.readouterr().out)
    assert code == ExitCode.PASSED
    assert (got["reproduced"], got["evidence_compared"]) == (True, True)
    assert got["circumstances"] == []
    assert load(out).environment.images == load(stored).environment.images


def test_image_that_no_lock_knows_serves_while_the_engine_has_it(
    stored: Path,
    another_image: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    changed = with_daemon(stored, another_image, tmp_path)
    out = tmp_path / "again.json"

    code = main(["reproduce", str(changed), "--json", "--out", str(out)])

    assert json.loads(capsys.readouterr().out)["reproduced"] is True
    assert code == ExitCode.PASSED
    assert digest_of(load(out), "palace-release") == another_image


def test_image_that_is_gone_is_named_and_nothing_is_measured(
    stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = with_daemon(stored, GONE, tmp_path)

    code = main(["reproduce", str(changed)])

    shown = capsys.readouterr()
    assert code == ExitCode.NOTHING_MEASURED
    assert f"palace-release with the digest {GONE} is gone" in shown.err
    assert shown.out == ""


def test_both_postgres_and_both_builds_are_the_same_in_quality(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("harness.cli.evaluate.REPORTS", tmp_path)
    cells = ["postgres-17-debug", "postgres-18-release"]

    code = main(["matrix", "--cells", *cells, "--repetitions", "0", "--json"])

    got = json.loads(capsys.readouterr().out)
    assert code == ExitCode.PASSED
    assert got["identical"] is True
    assert [
        (cell["build"], cell["postgres"].partition(".")[0]) for cell in got["cells"]
    ] == [("debug", "17"), ("release", "18")]


def test_images_are_listed_as_present_once_they_are_built(
    capsys: pytest.CaptureFixture[str], engine: Engine
) -> None:
    assert main(["images", "build", "postgres-18"]) == ExitCode.PASSED
    assert "postgres-18 sha256:" in capsys.readouterr().out

    assert main(["images"]) == ExitCode.PASSED
    shown = " ".join(capsys.readouterr().out.split())
    assert str(engine) in shown


def test_what_a_dead_run_left_is_swept(
    client: docker.DockerClient, capsys: pytest.CaptureFixture[str]
) -> None:
    ourselves = Session.begin()
    dead = Session(ourselves.id, replace(Owner.ourselves(), started="long ago"))
    client.networks.create(dead.name("network"), labels=dead.labels)

    code = main(["sweep"])

    assert code == ExitCode.PASSED
    assert ours(client, dead) == []
    assert "Swept:" in capsys.readouterr().out
