"""Where an engine is looked for."""

import hashlib
import json
from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.runtime.endpoints import endpoints


def a_context(home: Path, name: str, host: object, *, tls: bool = False) -> None:
    key = hashlib.sha256(name.encode()).hexdigest()
    folder = home / ".docker" / "contexts"
    (folder / "meta" / key).mkdir(parents=True)
    meta = {"Name": name, "Endpoints": {"docker": {"Host": host}}}
    (folder / "meta" / key / "meta.json").write_text(json.dumps(meta))
    if tls:
        (folder / "tls" / key / "docker").mkdir(parents=True)


def choose_context(home: Path, name: str) -> None:
    (home / ".docker").mkdir(exist_ok=True)
    config = home / ".docker" / "config.json"
    config.write_text(json.dumps({"currentContext": name}))


def test_a_named_host_is_the_only_one_tried(tmp_path: Path) -> None:
    a_context(tmp_path, "other", "unix:///other.sock")
    choose_context(tmp_path, "other")

    found = endpoints({"DOCKER_HOST": "tcp://somewhere:2375"}, tmp_path)

    assert [(e.url, e.chosen, e.is_local) for e in found] == [
        ("tcp://somewhere:2375", True, False)
    ]


def test_certificates_count_only_when_verifying_is_asked_for(tmp_path: Path) -> None:
    environ = {"DOCKER_HOST": "tcp://a:2376", "DOCKER_CERT_PATH": "/certs"}

    assert endpoints(environ, tmp_path)[0].certificates is None
    verified = endpoints({**environ, "DOCKER_TLS_VERIFY": "1"}, tmp_path)
    assert verified[0].certificates == Path("/certs")


def test_the_current_context_is_followed(tmp_path: Path) -> None:
    a_context(tmp_path, "mine", "tcp://there:2376", tls=True)
    choose_context(tmp_path, "mine")

    (found,) = endpoints({}, tmp_path)

    assert found.url == "tcp://there:2376"
    assert found.certificates is not None
    assert found.source == "the Docker context 'mine'"


def test_the_context_variable_wins_over_the_file(tmp_path: Path) -> None:
    a_context(tmp_path, "one", "unix:///one.sock")
    a_context(tmp_path, "two", "unix:///two.sock")
    choose_context(tmp_path, "one")

    (found,) = endpoints({"DOCKER_CONTEXT": "two"}, tmp_path)

    assert found.socket == Path("/two.sock")


@pytest.mark.parametrize("host", ["", None, 7])
def test_a_context_without_an_address_is_told(tmp_path: Path, host: object) -> None:
    a_context(tmp_path, "mine", host)

    with pytest.raises(UsageError, match="'mine'"):
        endpoints({"DOCKER_CONTEXT": "mine"}, tmp_path)


def test_a_context_that_does_not_exist_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'gone' cannot be read"):
        endpoints({"DOCKER_CONTEXT": "gone"}, tmp_path)


def test_the_default_context_means_the_well_known_sockets(tmp_path: Path) -> None:
    choose_context(tmp_path, "default")

    found = endpoints({"XDG_RUNTIME_DIR": "/run/user/7"}, tmp_path)

    assert [str(e.socket) for e in found] == [
        "/var/run/docker.sock",
        "/run/user/7/docker.sock",
        f"{tmp_path}/.docker/run/docker.sock",
        f"{tmp_path}/.docker/desktop/docker.sock",
        "/run/user/7/podman/podman.sock",
        "/run/podman/podman.sock",
    ]
    assert not any(e.chosen for e in found)


def test_a_broken_client_configuration_is_as_good_as_none(tmp_path: Path) -> None:
    (tmp_path / ".docker").mkdir()
    (tmp_path / ".docker" / "config.json").write_text("{")

    assert len(endpoints({}, tmp_path)) == 4
