"""What the service is told at start: `EMBEDDER_*` variables, read once and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from embedder.errors import StartupError

_LONGEST_LATENCY_MS = 60_000.0


class Address(NamedTuple):
    """Where to listen; port 0 lets the system pick."""

    host: str
    port: int


DATA: Final = Address("127.0.0.1", 8766)
CONTROL: Final = Address("127.0.0.1", 8767)


@dataclass(frozen=True, slots=True)
class Upstream:
    """The real service that recording asks; the key appears in no repr."""

    url: str
    api_key: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything the service can be told."""

    data: Address = DATA
    control: Address = CONTROL
    ready_file: Path | None = None
    latency_s: float = 0.0
    concepts: Path | None = None
    api_key: str | None = field(default=None, repr=False)
    upstream: Upstream | None = None
    record: Path | None = None
    replay: Path | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Settings:
        """Read the settings from `EMBEDDER_*` variables.

        Raises:
            StartupError: A variable is unusable, or two contradict each other.
        """
        read = _Reader(environment)
        url = read.text("UPSTREAM_URL")
        upstream_key = read.key("UPSTREAM_API_KEY")
        settings = cls(
            data=read.address("BIND", DATA),
            control=read.address("CONTROL_BIND", CONTROL),
            ready_file=read.path("READY_FILE"),
            latency_s=read.milliseconds("LATENCY_MS") / 1000,
            concepts=read.path("CONCEPTS"),
            api_key=read.key("API_KEY"),
            upstream=Upstream(url, upstream_key) if url else None,
            record=read.path("RECORD"),
            replay=read.path("REPLAY"),
        )
        _check_mode(settings)
        return settings


class _Reader:
    """Typed access to the variables; every complaint names the variable."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    def text(self, name: str) -> str | None:
        return self._environment.get(f"EMBEDDER_{name}", "").strip() or None

    def path(self, name: str) -> Path | None:
        value = self.text(name)
        return Path(value) if value else None

    def key(self, name: str) -> str | None:
        """Return a secret; no complaint ever repeats it."""
        path = self.text(f"{name}_FILE")
        value, source = self.text(name), f"EMBEDDER_{name}"
        if path is not None:
            source = f"EMBEDDER_{name}_FILE={path!r}"
            value = _content(path, source)
        # A header can carry nothing else, and what cannot be sent can never match.
        if value is not None and not (
            value.isascii() and value.isprintable() and " " not in value
        ):
            raise StartupError(f"{source} has a character that no header can carry.")
        return value

    def address(self, name: str, default: Address) -> Address:
        value = self.text(name)
        if value is None:
            return default
        host, _, port = value.rpartition(":")
        is_number = port.isascii() and port.isdigit()
        if not host or not is_number or int(port) > 65_535:
            raise StartupError(f"EMBEDDER_{name}={value!r} is not host:port.")
        return Address(host.strip("[]"), int(port))

    def milliseconds(self, name: str) -> float:
        value = self.text(name) or "0"
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not 0 <= number <= _LONGEST_LATENCY_MS:
            raise StartupError(
                f"EMBEDDER_{name}={value!r} is not a number of milliseconds between 0"
                f" and {_LONGEST_LATENCY_MS:,.0f}."
            )
        return number


def _content(path: str, source: str) -> str:
    try:
        value = Path(path).read_text(encoding="utf-8").strip()
    except UnicodeDecodeError:
        # Its message would show a byte of the key.
        raise StartupError(f"{source} is not UTF-8.") from None
    except OSError as problem:
        raise StartupError(f"{source} cannot be read: {problem.strerror}.") from problem
    if not value:
        raise StartupError(f"{source} is empty.")
    return value


def _check_mode(settings: Settings) -> None:
    if settings.record and settings.replay:
        raise StartupError(
            "EMBEDDER_RECORD and EMBEDDER_REPLAY are both set; record first, then start"
            " again to replay."
        )
    if settings.record and settings.upstream is None:
        raise StartupError(
            "EMBEDDER_RECORD is set, but EMBEDDER_UPSTREAM_URL is not: there is nobody"
            " to ask."
        )
    if settings.upstream is not None and not settings.record:
        raise StartupError(
            "EMBEDDER_UPSTREAM_URL is set, but EMBEDDER_RECORD is not; set it to the"
            " file that keeps the answers."
        )
