"""Where a container engine may listen, in the order a person would expect.

What somebody set on purpose comes first and alone: `DOCKER_HOST`, then the context
chosen for the client. Only without either are the well-known sockets looked at. Nothing
here connects anywhere.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.errors import UsageError

LOCAL_SCHEMES = ("unix://", "npipe://")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One address an engine may answer on.

    Attributes:
        url: As `DOCKER_HOST` would hold it: `unix:///path`, `tcp://host:port`, `ssh://`.
        source: Where the address came from, in words for a person.
        certificates: Folder with `ca.pem`, `cert.pem`, `key.pem`; none means no TLS.
        chosen: Somebody named it, so no other may silently take its place.
    """

    url: str
    source: str
    certificates: Path | None = None
    chosen: bool = False

    @property
    def socket(self) -> Path | None:
        """The socket's path; none where the engine is reached over a network."""
        if self.url.startswith("unix://"):
            return Path(self.url.removeprefix("unix://"))
        return None

    @property
    def is_local(self) -> bool:
        """Whether the engine runs on this machine, as far as the address tells."""
        return self.url.startswith(LOCAL_SCHEMES)


def endpoints(environ: Mapping[str, str], home: Path) -> tuple[Endpoint, ...]:
    """List the addresses to try, best first.

    Raises:
        UsageError: A context is chosen that does not exist or cannot be read.
    """
    named = _from_variable(environ) or _from_context(environ, home)
    return (named,) if named else _well_known(environ, home)


def _from_variable(environ: Mapping[str, str]) -> Endpoint | None:
    url = environ.get("DOCKER_HOST", "")
    if not url:
        return None
    verify = environ.get("DOCKER_TLS_VERIFY", "")
    folder = environ.get("DOCKER_CERT_PATH", "")
    certificates = Path(folder) if verify and folder else None
    return Endpoint(url, "DOCKER_HOST", certificates, chosen=True)


def _from_context(environ: Mapping[str, str], home: Path) -> Endpoint | None:
    folder = Path(environ.get("DOCKER_CONFIG") or home / ".docker")
    name = environ.get("DOCKER_CONTEXT") or _current_context(folder / "config.json")
    if not name or name == "default":
        return None
    # The client files a context under the hash of its name.
    key = hashlib.sha256(name.encode()).hexdigest()
    meta = folder / "contexts" / "meta" / key / "meta.json"
    try:
        url = json.loads(meta.read_text())["Endpoints"]["docker"]["Host"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"the Docker context {name!r} cannot be read: {error}.",
            where=str(meta),
            remedy="See `docker context ls`; `docker context use default` leaves it.",
        ) from error
    if not isinstance(url, str) or not url:
        raise UsageError(
            f"the Docker context {name!r} names no address: {url!r}.",
            where=str(meta),
            remedy="See `docker context inspect`, or set DOCKER_HOST.",
        )
    tls = folder / "contexts" / "tls" / key / "docker"
    certificates = tls if tls.is_dir() else None
    return Endpoint(url, f"the Docker context {name!r}", certificates, chosen=True)


def _current_context(config: Path) -> str:
    try:
        found = json.loads(config.read_text())
    except (OSError, ValueError):
        # The client itself works without this file, and so do we.
        return ""
    name = found.get("currentContext", "") if isinstance(found, dict) else ""
    return name if isinstance(name, str) else ""


def _well_known(environ: Mapping[str, str], home: Path) -> tuple[Endpoint, ...]:
    run = environ.get("XDG_RUNTIME_DIR", "")
    places = [(Path("/var/run/docker.sock"), "the system's Docker socket")]
    if run:
        places.append((Path(run) / "docker.sock", "the rootless Docker socket"))
    places += [
        (home / ".docker" / "run" / "docker.sock", "Docker Desktop's socket"),
        (home / ".docker" / "desktop" / "docker.sock", "Docker Desktop's socket"),
    ]
    if run:
        podman = Path(run) / "podman" / "podman.sock"
        places.append((podman, "the rootless Podman socket"))
    places.append((Path("/run/podman/podman.sock"), "the system's Podman socket"))
    return tuple(Endpoint(f"unix://{path}", source) for path, source in places)
