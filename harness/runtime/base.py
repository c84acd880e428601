"""What every way of getting a daemon has in common.

A runtime is entered once, yields one running daemon, and leaves nothing behind when
it is left. The rooms that measure see this module only, never which runtime it was.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal, Protocol

from harness.report.model import Caution, ImageFacts, Phase

RuntimeName = Literal["containers", "embedded", "live"]


@dataclass(frozen=True, slots=True)
class Reading:
    """What one of the daemon's parts has used since it started; ``None``: not known."""

    cpu_s: float | None
    """Processor seconds, of all its processes."""
    peak_memory_bytes: int | None
    """Most memory it ever held, data that lies in memory included."""
    disk_bytes: int | None
    """Room its data takes now."""


@dataclass(frozen=True, slots=True)
class RunningEmbedder:
    """An embedder that answered its health route."""

    url: str
    """Where it embeds for us, ``/v1`` included; a daemon may know it by another."""
    control_url: str
    """Where it counts and takes orders, without a slash at the end."""
    model: str
    dimension: int


@dataclass(frozen=True)
class RunningDaemon:
    """A daemon that answered its health route, and how to watch over it."""

    url: str
    """Where it listens, without a slash at the end."""
    token: str | None = field(repr=False)
    """Bearer token of this run; a secret, so never printed and never reported."""
    check: Callable[[], None]
    """Raises `DaemonDiedError` when the daemon, its Postgres or its embedder is gone.

    Costs microseconds where the processes are ours, one request where they are not:
    call it between phases and after a failed request, not inside a timed section.
    """
    images: tuple[ImageFacts, ...] = ()
    """The container images it runs in; empty where there are none."""
    phases: tuple[Phase, ...] = ()
    """What starting it took, in order."""
    cautions: tuple[Caution, ...] = ()
    """What a reader of the numbers must know about this way of running it."""
    engine: str | None = None
    """Product and version of the container engine it runs in."""
    usage: Callable[[], Mapping[str, Reading]] | None = None
    """Reads what each part (``daemon``, ``postgres``, ``embedder`` where there is one)
    has used; none where nobody can.

    May cost a tenth of a second: call it between phases.
    """
    embedder: RunningEmbedder | None = None
    """The embedder it embeds with; none where it was given none."""


class Runtime(Protocol):
    """A way of getting a daemon; a context manager that may be entered once."""

    @property
    def name(self) -> RuntimeName:
        """Which way, as the report names it."""

    @property
    def reason(self) -> str:
        """Why this way: forced by an option, or what was found on the machine."""

    def __enter__(self) -> RunningDaemon:
        """Start the daemon, or find it, and wait until it answers."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop what was started and remove what was written."""
