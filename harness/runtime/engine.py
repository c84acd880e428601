"""Find the container engine, and say what is wrong with the one that was found.

An engine that is absent, old, forbidden, silent or full is a fact about the machine:
each ends in a `PrerequisiteError` whose remedy fits the case. Nothing here waits longer
than a few seconds, because the answer decides which runtime a run uses.
"""

import math
import os
import shutil
import socket
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import docker
import docker.errors
import docker.tls
import requests
from docker.constants import DEFAULT_DOCKER_API_VERSION

from harness.errors import PrerequisiteError
from harness.runtime.endpoints import Endpoint, endpoints
from harness.units import size

MIN_API = (1, 41)
"""Docker 20.10 and Podman 4 speak it; nothing older was ever tried with this code."""

PROBE_TIMEOUT_S = 3.0
"""A healthy engine answers in milliseconds, a loaded one within a second."""

WORK_TIMEOUT_S = 600.0
"""Longest silence while an engine loads or pulls: it answers only after writing."""

Trouble = Literal["absent", "forbidden", "old", "silent", "full", "broken"]


class EngineError(PrerequisiteError):
    """No container engine can be used; `trouble` says in which way.

    `absent` means that nothing listens anywhere: a caller may then choose another
    runtime quietly. Every other trouble is an engine that somebody meant to be there.
    """

    def __init__(
        self, what: str, *, trouble: Trouble, where: str = "", remedy: str = ""
    ) -> None:
        self.trouble = trouble
        super().__init__(what, where=where, remedy=remedy)


@dataclass(frozen=True, slots=True)
class Engine:
    """A container engine that answered, and what it said of itself.

    Attributes:
        endpoint: Where it answers.
        product: `docker` or `podman`.
        version: The product's version, as it prints it.
        api: Version of Docker's API it speaks, as `(major, minor)`.
        architecture: As image configurations name it: `amd64`, `arm64`.
        root: Where it keeps images; a path on *its* machine, empty where it hides it.
        rootless: Whether it runs without root's rights.
    """

    endpoint: Endpoint
    product: Literal["docker", "podman"]
    version: str
    api: tuple[int, int]
    architecture: str
    root: str
    rootless: bool

    def __str__(self) -> str:
        api = ".".join(map(str, self.api))
        kind = "rootless " if self.rootless else ""
        return (
            f"{kind}{self.product} {self.version} (API {api}) at {self.endpoint.source}"
        )

    def client(self, timeout_s: float = WORK_TIMEOUT_S) -> docker.DockerClient:
        """Open a client; *timeout_s* is the longest silence it bears."""
        return _client(self.endpoint, timeout_s, self.api)

    def environment(self) -> dict[str, str]:
        """Give the variables by which Docker's own clients find this engine.

        Testcontainers reads them; a context or a Podman socket it would not find.
        """
        found = {"DOCKER_HOST": self.endpoint.url}
        if self.endpoint.certificates:
            found["DOCKER_TLS_VERIFY"] = "1"
            found["DOCKER_CERT_PATH"] = str(self.endpoint.certificates)
        return found

    def require_room(self, needed_bytes: int) -> None:
        """Refuse to go on where the engine's disk has less than *needed_bytes* free.

        Raises:
            EngineError: Too little is free. An engine elsewhere is never asked.
        """
        root = Path(self.root)
        if not self.endpoint.is_local or not self.root or not root.is_dir():
            return
        free = shutil.disk_usage(root).free
        if free < needed_bytes:
            raise EngineError(
                f"{size(free)} of disk are free, {size(needed_bytes)} are needed.",
                trouble="full",
                where=self.root,
                remedy="Make room: `docker system prune` removes what nobody uses.",
            )


def discover(
    environ: Mapping[str, str] | None = None,
    home: Path | None = None,
    timeout_s: float = PROBE_TIMEOUT_S,
) -> Engine:
    """Find the engine to use, within *timeout_s* for each address that is tried.

    An address somebody chose is the only one tried. Otherwise the first socket that
    answers wins; where none does, the trouble of the first that exists is told.

    Raises:
        EngineError: None can be used.
        UsageError: The chosen Docker context does not exist.
    """
    candidates = endpoints(
        os.environ if environ is None else environ, home or Path.home()
    )
    troubles: list[EngineError] = []
    for endpoint in candidates:
        try:
            return probe(endpoint, timeout_s)
        except EngineError as error:
            if endpoint.chosen:
                raise
            if error.trouble != "absent":
                troubles.append(error)
    if troubles:
        raise troubles[0]
    tried = ", ".join(str(endpoint.socket) for endpoint in candidates)
    raise EngineError(
        f"no container engine answers; no socket at {tried}.",
        trouble="absent",
        remedy="Start Docker or Podman, set DOCKER_HOST, or use --runtime embedded.",
    )


def probe(endpoint: Endpoint, timeout_s: float = PROBE_TIMEOUT_S) -> Engine:
    """Ask the engine at *endpoint* who it is.

    Raises:
        EngineError: It is not there, or cannot be used.
    """
    _check_socket(endpoint, timeout_s)
    with engine_faults(endpoint, "asking its version"):
        with closing(_client(endpoint, timeout_s, MIN_API)) as client:
            # Asked without a version in the path, so that any engine answers.
            version = client.api.version(api_version=False)
        _check_api(endpoint, version)
        with closing(_client(endpoint, timeout_s, _api(version))) as client:
            info = client.info()
    return Engine(
        endpoint=endpoint,
        product="podman" if _is_podman(version) else "docker",
        version=str(version.get("Version", "unknown")),
        api=_api(version),
        architecture=str(version.get("Arch", "unknown")),
        root=str(info.get("DockerRootDir", "")),
        rootless=any("rootless" in str(o) for o in info.get("SecurityOptions") or ()),
    )


@contextmanager
def engine_faults(endpoint: Endpoint, doing: str) -> Iterator[None]:
    """Turn what the engine's client raises into an error with a remedy.

    *doing* completes the sentence "the engine failed while ...". Errors about one
    object (an image or container that does not exist) pass through: they are answers.

    Raises:
        EngineError: In place of the client's own error.
    """
    try:
        yield
    except docker.errors.NotFound:
        raise
    except docker.errors.APIError as error:
        text = str(error.explanation or error)
        if "no space left" in text.lower():
            raise EngineError(
                f"its disk is full, seen while {doing}.",
                trouble="full",
                where=endpoint.url,
                remedy="Make room: `docker system prune` removes what nobody uses.",
            ) from error
        raise EngineError(
            f"the engine failed while {doing}: {text.strip()}.",
            trouble="broken",
            where=endpoint.url,
            remedy="The engine's own log says more (journalctl -u docker).",
        ) from error
    except (docker.errors.DockerException, requests.RequestException, OSError) as error:
        raise _unreachable(endpoint, doing, error) from error


def _client(
    endpoint: Endpoint, timeout_s: float, api: tuple[int, int]
) -> docker.DockerClient:
    newest = tuple(map(int, DEFAULT_DOCKER_API_VERSION.split(".")))
    folder = endpoint.certificates
    tls = folder is not None and docker.tls.TLSConfig(
        client_cert=(str(folder / "cert.pem"), str(folder / "key.pem")),
        ca_cert=str(folder / "ca.pem"),
        verify=True,
    )
    return docker.DockerClient(
        base_url=endpoint.url,
        version=".".join(map(str, min(api, newest))),
        timeout=math.ceil(timeout_s),
        tls=tls,
        # The machine's own ssh knows keys and known hosts; a library would not.
        use_ssh_client=endpoint.url.startswith("ssh://"),
    )


def _check_socket(endpoint: Endpoint, timeout_s: float) -> None:
    # Knocking tells apart what the client's library reports as one and the same.
    path = endpoint.socket
    if path is None:
        return
    try:
        with socket.socket(socket.AF_UNIX) as knock:
            knock.settimeout(timeout_s)
            knock.connect(str(path))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise EngineError(
            f"no socket there ({endpoint.source}).",
            trouble="absent",
            where=str(path),
            remedy="Start the engine, or set DOCKER_HOST to where it listens.",
        ) from error
    except OSError as error:
        raise _unreachable(endpoint, "opening its socket", error) from error


def _forbidden(endpoint: Endpoint) -> EngineError:
    return EngineError(
        f"this user may not talk to the engine ({endpoint.source}).",
        trouble="forbidden",
        where=endpoint.url,
        remedy="Join its group (`sudo usermod -aG docker $USER`, then log in again), "
        "or run a rootless engine.",
    )


def _check_api(endpoint: Endpoint, version: Mapping[str, object]) -> None:
    found = _api(version)
    if found < MIN_API:
        raise EngineError(
            f"the engine {version.get('Version', '?')} speaks API "
            f"{found[0]}.{found[1]}; {MIN_API[0]}.{MIN_API[1]} is needed.",
            trouble="old",
            where=endpoint.url,
            remedy="Update to Docker 20.10 or Podman 4 or newer, "
            "or use --runtime embedded.",
        )


def _api(version: Mapping[str, object]) -> tuple[int, int]:
    major, _, minor = str(version.get("ApiVersion", "0.0")).partition(".")
    return (int(major), int(minor)) if major.isdigit() and minor.isdigit() else (0, 0)


def _is_podman(version: Mapping[str, object]) -> bool:
    components = version.get("Components")
    names = components if isinstance(components, list) else []
    return any("podman" in str(component).lower() for component in names)


def _unreachable(endpoint: Endpoint, doing: str, error: Exception) -> EngineError:
    text = str(error)
    if "PermissionError" in text or isinstance(error, PermissionError):
        return _forbidden(endpoint)
    if "timed out" in text.lower() or isinstance(error, requests.Timeout):
        return EngineError(
            f"the engine does not answer, seen while {doing}.",
            trouble="silent",
            where=endpoint.url,
            remedy="Restart the engine, or use --runtime embedded.",
        )
    if "API version" in text or "too old" in text:
        return EngineError(
            f"the engine and its client share no API version: {text}.",
            trouble="old",
            where=endpoint.url,
            remedy="Update the engine to Docker 20.10 or Podman 4 or newer.",
        )
    return EngineError(
        f"the engine cannot be reached, seen while {doing}: {text}.",
        trouble="broken",
        where=endpoint.url,
        remedy="Start the engine, or set DOCKER_HOST to where it listens.",
    )
