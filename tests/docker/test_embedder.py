"""The embedder in a container of its own: used, confined like the others, and gone."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import docker
import pytest

from harness.daemon.client import DaemonClient
from harness.daemon.documents import DocumentsClient, NewDocument
from harness.daemon.embedder import EmbedderControl
from harness.errors import DaemonDiedError
from harness.runtime.base import RunningDaemon
from harness.runtime.container.session import SESSION_LABEL, Session
from harness.runtime.container.sweep import objects, sweep_session
from harness.runtime.containers import ContainerSetup, ContainersRuntime
from harness.runtime.embedder import EmbedderWish
from harness.runtime.engine import Engine
from tests.docker.leftovers import CLONE, a_setup, ours
from tests.waiting import keep_calling

pytestmark = pytest.mark.docker

WISH = EmbedderWish(model="trigram-384", dimension=384)
OVEN = NewDocument(
    wing="kitchen", room="baking", name="oven", content="Bread bakes at 230 degrees."
)

ALL = ["container", "container", "container", "network"]
REAPED_WITHIN_S = 10.0


@pytest.fixture(scope="module")
def setup(engine: Engine) -> ContainerSetup:
    return a_setup(engine, "release", WISH)


def anew(setup: ContainerSetup) -> ContainerSetup:
    """Give a setup of the same images for a session of its own."""
    return replace(setup, session=Session.begin())


@pytest.fixture(scope="module")
def running(setup: ContainerSetup) -> Iterator[RunningDaemon]:
    with ContainersRuntime(setup, reason="a test") as daemon:
        yield daemon


@pytest.fixture
def control(running: RunningDaemon) -> Iterator[EmbedderControl]:
    assert running.embedder is not None
    with EmbedderControl(running.embedder.control_url, running.embedder.url) as found:
        yield found


@pytest.fixture
def documents(running: RunningDaemon) -> Iterator[DocumentsClient]:
    with DaemonClient(running.url, running.token) as client:
        yield DocumentsClient(client.door)


@pytest.fixture
def told(
    setup: ContainerSetup, client: docker.DockerClient, running: RunningDaemon
) -> dict[str, Any]:
    running.check()
    return dict(client.api.inspect_container(setup.session.name("embedder")))


def test_daemon_embeds_with_the_embedder_and_falls_open_without(
    documents: DocumentsClient, control: EmbedderControl
) -> None:
    control.reset()
    stored, _ = documents.add(OVEN)
    found = documents.search("baking bread", mode="vector", wing="kitchen")
    state = control.state()
    control.set_fault("refuse")
    fallen = documents.search("bread", mode="vector", wing="kitchen")
    control.set_fault("ok")
    (fragment,) = documents.fragments(stored.id)

    assert (state.requests, state.inputs) == (2, 2)
    assert (found.effective, found.degraded) == ("vector", None)
    assert (fallen.effective, fallen.degraded) == (
        "keyword",
        "memcastle::embed::unreachable",
    )
    assert fragment.embedded


def test_embedder_can_be_asked_from_here(
    running: RunningDaemon, control: EmbedderControl
) -> None:
    assert running.embedder is not None
    model = running.embedder.model

    assert control.embed(["a", "b"], model=model).vectors.shape == (2, 384)


def test_embedder_is_confined_like_the_others(told: dict[str, Any]) -> None:
    host = told["HostConfig"]

    assert told["Config"]["User"] == "10001:10001"
    assert host["ReadonlyRootfs"] is True
    assert host["CapDrop"] == ["ALL"]
    assert not host["CapAdd"]
    assert host["SecurityOpt"] == ["no-new-privileges:true"]
    assert host["Privileged"] is False
    assert 0 < host["PidsLimit"] <= 128
    assert 0 < host["Memory"] == host["MemorySwap"]
    assert host["NanoCpus"] > 0
    assert set(host["Tmpfs"]) == {"/tmp"}
    assert told["Mounts"] == []
    assert told["Config"]["Healthcheck"] == {"Test": ["NONE"]}


def test_embedder_is_published_on_loopback_only(
    told: dict[str, Any], running: RunningDaemon
) -> None:
    assert running.embedder is not None
    port = running.embedder.url.removesuffix("/v1").rpartition(":")[2]
    control_port = running.embedder.control_url.rpartition(":")[2]

    assert told["NetworkSettings"]["Ports"] == {
        "8081/tcp": [{"HostIp": "127.0.0.1", "HostPort": port}],
        "8082/tcp": [{"HostIp": "127.0.0.1", "HostPort": control_port}],
    }


def test_embedder_carries_labels_image_and_usage(
    setup: ContainerSetup, told: dict[str, Any], running: RunningDaemon
) -> None:
    assert setup.embedder is not None
    assert setup.session.labels.items() <= told["Config"]["Labels"].items()
    assert told["Image"] == setup.embedder.image.id
    digests = {image.name: image.digest for image in running.images}
    assert digests["embedder"] == setup.embedder.image.digest
    assert running.usage is not None
    used = running.usage()
    assert set(used) == {"daemon", "postgres", "embedder"}
    assert used["embedder"].cpu_s is not None
    assert used["embedder"].cpu_s > 0
    assert used["embedder"].peak_memory_bytes is not None


def test_embedder_that_dies_is_named_and_nothing_stays(
    setup: ContainerSetup, client: docker.DockerClient
) -> None:
    again = anew(setup)
    with ContainersRuntime(again, reason="a test") as daemon:
        assert sorted(ours(client, again.session)) == ALL
        client.containers.get(again.session.name("embedder")).kill("SIGKILL")
        with pytest.raises(DaemonDiedError, match=r"^the embedder .*exit code 137"):
            keep_calling(daemon.check)

    assert ours(client, again.session) == []


def test_embedder_that_cannot_start_is_told_in_its_words_and_leaves_nothing(
    setup: ContainerSetup, client: docker.DockerClient
) -> None:
    assert setup.embedder is not None
    wish = replace(WISH, settings={"EMBEDDER_LATENCY_MS": "never"})
    again = replace(anew(setup), embedder=replace(setup.embedder, wish=wish))
    with pytest.raises(DaemonDiedError) as caught:
        ContainersRuntime(again, reason="a test").__enter__()

    assert caught.value.what.startswith("the embedder ended before it was ready")
    assert "EMBEDDER_LATENCY_MS='never'" in caught.value.what
    assert ours(client, again.session) == []


HARNESS = """
import time
from harness.runtime.containers import ContainersRuntime
from harness.runtime.engine import discover
from tests.docker.leftovers import a_setup
from tests.docker.test_embedder import WISH
setup = a_setup(discover(), "release", WISH)
print(setup.session.id, flush=True)
with ContainersRuntime(setup, reason="a test"):
    print("ready", flush=True)
    time.sleep(60)
"""


def test_killed_run_is_swept_with_its_embedder(client: docker.DockerClient) -> None:
    harness = subprocess.Popen(
        [sys.executable, "-c", HARNESS],
        env={**os.environ, "PYTHONPATH": str(CLONE)},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert harness.stdout is not None
    with harness.stdout:
        session = harness.stdout.readline().strip()
        ready = harness.stdout.readline().strip()
    label = f"{SESSION_LABEL}={session}"
    started = sorted(found.kind for found in objects(client, label))
    harness.send_signal(signal.SIGKILL)
    harness.wait(30)
    give_up = time.monotonic() + REAPED_WITHIN_S
    while left := list(objects(client, label)):
        if time.monotonic() > give_up:
            break
        time.sleep(0.05)
    # Should this fail, the next test must not fail for it.
    sweep_session(client, session)

    assert (ready, started) == ("ready", ALL)
    assert left == []
