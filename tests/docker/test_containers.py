"""The containers of a run: what they may do, who reaches them, what they give away."""

import json
import logging
import os
import secrets
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import docker
import pytest

from harness.dataset.read import read_dataset
from harness.errors import DaemonDiedError, ExitCode, PrerequisiteError
from harness.measure.evaluate import EvaluationSettings, evaluate
from harness.measure.progress import SilentProgress
from harness.report.quality import quality_json
from harness.report.store import to_json
from harness.runtime.base import RunningDaemon
from harness.runtime.container.box import Box
from harness.runtime.container.resources import read_inside, reader
from harness.runtime.container.session import Session
from harness.runtime.containers import ContainerSetup, ContainersRuntime, sweep
from harness.runtime.embedded import EmbeddedRuntime
from harness.runtime.engine import Engine
from harness.runtime.probe import is_healthy, request
from tests.docker.leftovers import CLONE, a_setup, ours

pytestmark = pytest.mark.docker

CORE = CLONE / "datasets" / "core.json"


@pytest.fixture(scope="module")
def setup(engine: Engine) -> ContainerSetup:
    return a_setup(engine, "release")


def anew(setup: ContainerSetup, **changes: Any) -> ContainerSetup:
    """Give a setup of the same images for a session of its own."""
    return replace(setup, session=Session.begin(), **changes)


class Run:
    """A run under way, and a look at it from outside."""

    def __init__(
        self, setup: ContainerSetup, client: docker.DockerClient, daemon: RunningDaemon
    ) -> None:
        self.setup = setup
        self.daemon = daemon
        self._client = client

    def inspect(self, role: str) -> dict[str, Any]:
        """Say what the engine tells of one container."""
        name = self.setup.session.name(role)
        return dict(self._client.api.inspect_container(name))

    def box(self, role: str) -> Box:
        """Give our own handle of one container."""
        container = self._client.containers.get(self.setup.session.name(role))
        return Box(role, container, self.setup.engine.endpoint, str)


@pytest.fixture(scope="module")
def run(setup: ContainerSetup, client: docker.DockerClient) -> Iterator[Run]:
    with ContainersRuntime(setup, reason="a test") as daemon:
        yield Run(setup, client, daemon)


@pytest.mark.parametrize(
    ("role", "user", "writable"),
    [
        (
            "postgres",
            "999:999",
            {"/var/lib/postgresql", "/var/run/postgresql", "/tmp"},
        ),
        ("daemon", "10001:10001", {"/tmp"}),
    ],
)
def test_every_container_is_hardened(
    run: Run, client: docker.DockerClient, role: str, user: str, writable: set[str]
) -> None:
    told = run.inspect(role)
    host = told["HostConfig"]
    machine = client.info()

    assert told["Config"]["User"] == user
    assert host["ReadonlyRootfs"] is True
    assert host["CapDrop"] == ["ALL"]
    assert not host["CapAdd"]
    assert host["SecurityOpt"] == ["no-new-privileges:true"]
    assert host["Privileged"] is False
    assert 0 < host["PidsLimit"] <= 256
    assert 0 < host["Memory"] <= machine["MemTotal"] // 2
    assert host["MemorySwap"] == host["Memory"]
    assert 0 < host["NanoCpus"] <= machine["NCPU"] * 10**9
    assert set(host["Tmpfs"]) == writable
    for options in host["Tmpfs"].values():
        assert {"noexec", "nosuid", "nodev"} <= set(options.split(","))
        assert "size=" in options
    assert host["NetworkMode"] == run.setup.session.name("network")
    assert (host["PidMode"], host["UTSMode"], host["UsernsMode"]) == ("", "", "")
    assert host["IpcMode"] in ("private", "shareable")
    assert host["RestartPolicy"]["Name"] in ("", "no")
    assert all(mount["RW"] is False for mount in told["Mounts"])
    assert {mount["Type"] for mount in told["Mounts"]} == {"bind"}
    assert told["Config"]["Healthcheck"] == {"Test": ["NONE"]}


def test_what_is_promised_from_outside_holds_inside(run: Run) -> None:
    for role, uid in (("postgres", "999"), ("daemon", "10001")):
        box = run.box(role)
        code, status = box.run("cat", "/proc/self/status")
        facts = dict(line.split(":\t", 1) for line in status.splitlines())
        assert code == 0
        assert facts["Uid"].split()[0] == uid
        assert int(facts["CapEff"], 16) == int(facts["CapBnd"], 16) == 0
        assert facts["NoNewPrivs"] == "1"
        assert facts["Seccomp"] == "2"
        code, said = box.run("sh", "-c", "echo x > /here")
        assert code != 0
        assert "Read-only file system" in said


def test_only_the_daemon_is_published_and_on_loopback_only(run: Run) -> None:
    port = run.daemon.url.rpartition(":")[2]
    published = run.inspect("daemon")["NetworkSettings"]["Ports"]

    assert published == {"8080/tcp": [{"HostIp": "127.0.0.1", "HostPort": port}]}
    assert not any(run.inspect("postgres")["NetworkSettings"]["Ports"].values())
    assert not run.inspect("postgres")["HostConfig"]["PortBindings"]


def addresses_of_this_machine(run: Run) -> set[str]:
    """Find addresses under which others reach this machine."""
    network = run.setup.session.name("network")
    found = {run.inspect("daemon")["NetworkSettings"]["Networks"][network]["Gateway"]}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect(("192.0.2.1", 9))  # sends nothing: it only picks a route
        found.add(probe.getsockname()[0])
    return found


def test_connection_from_outside_loopback_fails(run: Run) -> None:
    port = int(run.daemon.url.rpartition(":")[2])
    addresses = addresses_of_this_machine(run)

    with socket.create_connection(("127.0.0.1", port), 2):
        pass
    assert not any(address.startswith("127.") for address in addresses)
    for address in addresses:
        with socket.socket() as knocking:
            knocking.settimeout(2)
            assert knocking.connect_ex((address, port)) != 0


def test_network_is_private(run: Run, client: docker.DockerClient) -> None:
    network = client.networks.get(run.setup.session.name("network"))

    assert network.attrs["Driver"] == "bridge"
    option = "com.docker.network.bridge.enable_ip_masquerade"
    assert network.attrs["Options"][option] == "false"
    names = {guest["Name"] for guest in network.attrs["Containers"].values()}
    assert names == {run.setup.session.name(role) for role in ("postgres", "daemon")}


def test_everything_carries_the_sessions_labels(
    run: Run, client: docker.DockerClient
) -> None:
    labels = run.setup.session.labels
    network = client.networks.get(run.setup.session.name("network"))
    for found in (
        run.inspect("daemon")["Config"]["Labels"],
        run.inspect("postgres")["Config"]["Labels"],
        network.attrs["Labels"],
    ):
        assert labels.items() <= found.items()


def test_report_names_the_images_the_containers_run(run: Run) -> None:
    images = {image.name: image.digest for image in run.daemon.images}

    assert images == {
        run.setup.postgres.name: run.setup.postgres.digest,
        run.setup.daemon.name: run.setup.daemon.digest,
    }
    assert run.inspect("postgres")["Image"] == run.setup.postgres.id
    assert run.inspect("daemon")["Image"] == run.setup.daemon.id


def test_daemon_says_itself_which_build_it_is(run: Run) -> None:
    address = f"{run.daemon.url}/api/status"
    answer = request("GET", address, token=run.daemon.token, timeout_s=5)
    assert answer is not None
    build = json.loads(answer.body)["build"]

    assert (build["name"], build["assertions"]) == ("release", False)


def test_living_session_is_not_swept(run: Run, engine: Engine) -> None:
    sweep(engine)

    run.daemon.check()
    assert is_healthy(run.daemon.url)


def test_usage_only_grows_and_two_ways_of_reading_agree(run: Run) -> None:
    assert run.daemon.usage is not None
    first = run.daemon.usage()
    for _ in range(50):
        is_healthy(run.daemon.url)
    second = run.daemon.usage()

    assert set(first) == {"daemon", "postgres"}
    assert first["daemon"].disk_bytes is None
    assert first["daemon"].cpu_s is not None
    assert second["daemon"].cpu_s is not None
    assert 0 < first["daemon"].cpu_s < second["daemon"].cpu_s
    box = run.box("postgres")
    data = "/var/lib/postgresql"
    outside, inside = reader(box, data)(), read_inside(box, data)
    assert outside.disk_bytes == inside.disk_bytes
    assert outside.disk_bytes is not None
    assert outside.disk_bytes > 2**20
    assert inside.cpu_s == pytest.approx(outside.cpu_s, abs=0.5)
    assert inside.peak_memory_bytes == pytest.approx(outside.peak_memory_bytes, rel=0.2)


def test_secrets_appear_nowhere(
    setup: ContainerSetup,
    client: docker.DockerClient,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    canary = f"canary{secrets.token_hex(8)}"
    monkeypatch.setattr(
        "harness.runtime.container.credentials.secrets.token_urlsafe",
        lambda _: f"{canary}{secrets.token_hex(4)}",
    )
    caplog.set_level(logging.DEBUG)
    shown = []

    class Looking(ContainersRuntime):
        """Looks around once everything runs, when each secret has been used."""

        def __enter__(self) -> RunningDaemon:
            running = super().__enter__()
            assert canary in (running.token or "")
            return running

        def __exit__(self, *ending: Any) -> None:
            for role in ("postgres", "daemon"):
                name = again.session.name(role)
                container = client.containers.get(name)
                shown.append(json.dumps(client.api.inspect_container(name)))
                shown.append(json.dumps(client.api.top(name)))
                shown.append(container.logs().decode())
            network = client.networks.get(again.session.name("network"))
            shown.append(json.dumps(network.attrs))
            shown.append(processes())
            super().__exit__(*ending)

    again = anew(setup)
    runtime = Looking(again, reason="a test")
    report = evaluate(
        read_dataset(CORE), runtime, EvaluationSettings(repetitions=0), SilentProgress()
    )

    shown += [to_json(report).decode(), caplog.text, *capfd.readouterr()]
    assert len(shown) >= 12
    assert "postgres" in shown[0]
    assert [text for text in shown if canary in text] == []


def processes() -> str:
    """Every command line and, where we may look, every environment of this machine."""
    listed = subprocess.run(
        ["ps", "axww", "-o", "args="], capture_output=True, text=True, check=True
    ).stdout
    ours = os.getpid()
    for folder in Path("/proc").glob("[0-9]*"):
        if int(folder.name) != ours:
            try:
                listed += (folder / "environ").read_bytes().decode(errors="replace")
            except OSError:
                continue
    return listed


def test_quality_is_the_embedded_runtimes_to_the_byte(setup: ContainerSetup) -> None:
    dataset = read_dataset(CORE)
    settings = EvaluationSettings(repetitions=0)
    again = anew(setup)
    contained = evaluate(
        dataset, ContainersRuntime(again, reason="a test"), settings, SilentProgress()
    )
    embedded = evaluate(dataset, EmbeddedRuntime("release"), settings, SilentProgress())

    assert quality_json(contained) == quality_json(embedded)
    phases = {phase.name: phase for phase in contained.phases}
    used = phases["seeding"].resources
    assert used is not None
    assert used["postgres"].disk_growth_bytes is not None
    assert used["postgres"].disk_growth_bytes > 0
    assert used["daemon"].cpu_s is not None
    assert used["daemon"].cpu_s > 0
    assert all(phase.resources is None for phase in embedded.phases)


@pytest.mark.parametrize(
    ("role", "named"), [("postgres", "Postgres"), ("daemon", "the daemon")]
)
def test_container_that_dies_is_named_at_once(
    setup: ContainerSetup, client: docker.DockerClient, role: str, named: str
) -> None:
    again = anew(setup)
    with ContainersRuntime(again, reason="a test") as daemon:
        client.containers.get(again.session.name(role)).kill("SIGKILL")
        began = time.monotonic()
        while time.monotonic() - began < 5:
            try:
                daemon.check()
            except DaemonDiedError as error:
                died = error
                break
        took = time.monotonic() - began

    assert took < 2
    assert died.what.startswith(f"{named} ended while it was needed (exit code 137)")
    last = "ready to accept connections" if role == "postgres" else '"listening"'
    assert last in died.what
    assert ours(client, again.session) == []


def test_daemon_that_cannot_start_is_noticed_at_once_with_its_words(
    setup: ContainerSetup, client: docker.DockerClient
) -> None:
    again = anew(setup, settings={"PALACE_PROFILES": "none"})
    began = time.monotonic()
    with pytest.raises(DaemonDiedError) as caught:
        ContainersRuntime(again, reason="a test").__enter__()

    assert time.monotonic() - began < 30
    assert "ended before it was ready (exit code" in caught.value.what
    assert "PALACE_PROFILES" in caught.value.what
    assert ours(client, again.session) == []


def test_postgres_that_cannot_start_is_noticed_at_once_with_its_words(
    setup: ContainerSetup, client: docker.DockerClient
) -> None:
    # The daemon's image, given to Postgres: it starts, complains and ends.
    wrong = replace(setup.postgres, id=setup.daemon.id)
    again = anew(setup, postgres=wrong)
    began = time.monotonic()
    with pytest.raises(PrerequisiteError, match="Postgres ended before it") as caught:
        ContainersRuntime(again, reason="a test").__enter__()

    assert time.monotonic() - began < 30
    assert "usage" in caught.value.what
    assert ours(client, again.session) == []


def test_taken_port_is_a_clear_error(
    setup: ContainerSetup, client: docker.DockerClient
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        again = anew(setup, port=port)
        with pytest.raises(PrerequisiteError, match=f"port {port} ") as caught:
            ContainersRuntime(again, reason="a test").__enter__()

    assert caught.value.exit_code == ExitCode.UNAVAILABLE
    assert ours(client, again.session) == []


def test_image_that_is_gone_is_a_clear_error(
    setup: ContainerSetup, client: docker.DockerClient
) -> None:
    gone = replace(setup.postgres, id=f"sha256:{'0' * 64}")
    again = anew(setup, postgres=gone)
    with pytest.raises(PrerequisiteError, match="no image"):
        ContainersRuntime(again, reason="a test").__enter__()

    assert ours(client, again.session) == []
