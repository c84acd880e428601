"""The embedded runtime with an embedder: it is used, watched, and nothing stays of it.

Everything here is real: Postgres, the reference daemon and the embedder.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness.daemon.client import DaemonClient
from harness.daemon.documents import DocumentsClient, NewDocument
from harness.daemon.embedder import EmbedderControl
from harness.errors import DaemonDiedError
from harness.runtime.base import RunningDaemon, Runtime
from harness.runtime.choice import Wish, choose
from harness.runtime.embedder import EmbedderWish
from harness.runtime.folders import PREFIX
from tests.contract.watching import still_running
from tests.waiting import keep_calling

pytestmark = pytest.mark.postgres

WISH = Wish(
    runtime="embedded",
    embedder=EmbedderWish(model="trigram-384", dimension=384),
    settings={"PALACE_EMBEDDINGS_QUERY_BUDGET_S": "1.5"},
)
OVEN = NewDocument(
    wing="kitchen", room="baking", name="oven", content="Bread bakes at 230 degrees."
)


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    # Not pytest's own: that is too long for a socket and closed to other accounts.
    folder = Path(tempfile.mkdtemp(prefix="mht-"))
    folder.chmod(0o1777)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    shutil.rmtree(folder)


def a_run(wish: Wish = WISH) -> Runtime:
    return choose(wish, notify=lambda _: None, warn=lambda _: None)


def processes(temporary: Path) -> dict[str, int]:
    """Read the ids of what runs in the one run folder."""
    (folder,) = temporary.glob(f"{PREFIX}*")
    status = (folder / "data" / "postmaster.pid").read_text(encoding="utf-8")
    return {
        "Postgres": int(status.splitlines()[0]),
        "embedder": json.loads((folder / "embedder.json").read_bytes())["pid"],
        "daemon": json.loads((folder / "ready.json").read_bytes())["pid"],
    }


def control_of(running: RunningDaemon) -> EmbedderControl:
    assert running.embedder is not None
    return EmbedderControl(running.embedder.control_url, running.embedder.url)


def test_daemon_embeds_a_document_with_the_embedder_beside_it(temporary: Path) -> None:
    with (
        a_run() as running,
        DaemonClient(running.url, running.token) as client,
        control_of(running) as control,
    ):
        documents = DocumentsClient(client.door)
        stored, _ = documents.add(OVEN)
        asked = control.state()
        found = documents.search("baking bread", mode="vector", wing="kitchen")
        asked_again = control.state()
        (fragment,) = documents.fragments(stored.id)
        counts = documents.counts()

    assert (asked.requests, asked.inputs) == (1, 1)
    assert (asked_again.requests, asked_again.inputs) == (2, 2)
    assert fragment.embedded
    assert (found.effective, found.degraded) == ("vector", None)
    assert [hit.document_id for hit in found.hits] == [stored.id]
    assert (counts.documents, counts.fragments_embedded) == (1, 1)
    assert [phase.name for phase in running.phases] == [
        "postgres",
        "embedder",
        "daemon",
    ]
    assert list(temporary.iterdir()) == []


@pytest.mark.usefixtures("temporary")
def test_fault_reaches_the_daemon_and_ends() -> None:
    with (
        a_run() as running,
        DaemonClient(running.url, running.token) as client,
        control_of(running) as control,
    ):
        documents = DocumentsClient(client.door)
        documents.add(OVEN)
        control.set_fault("refuse")
        fallen = documents.search("bread", mode="vector")
        control.set_fault("ok")
        healed = documents.search("bread", mode="vector")

    assert (fallen.effective, fallen.degraded) == (
        "keyword",
        "memcastle::embed::unreachable",
    )
    assert (healed.effective, healed.degraded) == ("vector", None)


def test_normal_end_leaves_no_process_and_no_folder(temporary: Path) -> None:
    with a_run() as running:
        running.check()
        started = processes(temporary)
        assert still_running(started, 0) == ["Postgres", "embedder", "daemon"]
    assert still_running(started, 0) == []
    assert list(temporary.iterdir()) == []


def test_killed_embedder_is_named_by_the_check(temporary: Path) -> None:
    with a_run() as running:
        os.kill(processes(temporary)["embedder"], signal.SIGKILL)
        with pytest.raises(DaemonDiedError, match=r"^the embedder .*SIGKILL"):
            keep_calling(running.check)
    assert list(temporary.iterdir()) == []


def test_embedder_that_cannot_start_is_told_in_its_words_and_leaves_nothing(
    temporary: Path,
) -> None:
    assert WISH.embedder is not None
    broken = replace(WISH.embedder, settings={"EMBEDDER_LATENCY_MS": "never"})
    with pytest.raises(DaemonDiedError) as caught:
        a_run(replace(WISH, embedder=broken)).__enter__()

    assert caught.value.what.startswith("the embedder ended before it was ready")
    assert "EMBEDDER_LATENCY_MS='never'" in caught.value.what
    assert list(temporary.iterdir()) == []


def test_without_a_wish_there_is_no_embedder(temporary: Path) -> None:
    with a_run(replace(WISH, embedder=None)) as running:
        (folder,) = temporary.glob(f"{PREFIX}*")
        assert not (folder / "embedder.log").exists()
        with DaemonClient(running.url, running.token) as client:
            config = client.config()

    assert running.embedder is None
    assert [phase.name for phase in running.phases] == ["postgres", "daemon"]
    assert config is not None
    assert config.embeddings is not None
    assert config.embeddings.provider == "none"


HARNESS = """
import time
from tests.contract.test_embedder_runtime import a_run
from harness.runtime.signals import unwinding
with unwinding(), a_run():
    print("ready", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_signal_takes_all_three_along_and_the_next_start_sweeps(
    temporary: Path, number: signal.Signals
) -> None:
    harness = subprocess.Popen(
        [sys.executable, "-c", HARNESS],
        env={
            **os.environ,
            "TMPDIR": str(temporary),
            "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert harness.stdout is not None
    with harness.stdout:
        assert harness.stdout.readline() == "ready\n"
    started = processes(temporary)
    harness.send_signal(number)
    harness.wait(30)

    assert still_running(started, 2.0) == []
    with a_run(replace(WISH, embedder=None)):
        assert len(list(temporary.glob(f"{PREFIX}*"))) == 1
    assert list(temporary.iterdir()) == []
