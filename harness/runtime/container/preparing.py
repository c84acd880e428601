"""Find an engine and get the images into it, or say in which way that failed."""

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from harness.errors import PrerequisiteError
from harness.runtime.container.session import Session
from harness.runtime.container.specs import ContainerEmbedder
from harness.runtime.containers import ContainerSetup, ContainersRuntime
from harness.runtime.engine import Engine, EngineError, discover
from harness.runtime.images.catalogue import read_pins
from harness.runtime.images.resolve import Resolver
from harness.runtime.images.store import DigestError

if TYPE_CHECKING:
    from harness.runtime.choice import Notify, Wish

DEFAULT_POSTGRES = "postgres-18"
"""The same Postgres that the embedded runtime has, so that the two compare."""

EMBEDDER_IMAGE = "embedder"

NONE_ANSWERS = ("absent", "silent", "broken")
"""Troubles of an engine that may be passed over; the others a person can mend."""

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")


class Unavailable(Exception):  # noqa: N818 - caught by `choose` alone, never printed
    """Containers cannot be used here, and another runtime may take their place.

    Attributes:
        short: Why, for a report: no path and no address of this machine.
        error: Why, for the person who waits, with a remedy.
    """

    def __init__(self, short: str, error: PrerequisiteError) -> None:
        self.short = short
        self.error = error
        super().__init__(short)


def prepare(wish: "Wish", *, notify: "Notify", clone: Path) -> ContainersRuntime:
    """Get the images that *wish* needs into an engine, and a runtime that uses them.

    Raises:
        Unavailable: No engine answers, or its images cannot be had.
        EngineError: An engine is there that is forbidden, too old or full.
        DigestError: An image is not what its digest promises.
        UsageError: The chosen context or the list of images cannot be read.
    """
    try:
        engine = discover()
        require_here(engine)
    except EngineError as error:
        _raise_if_mendable(error)
        raise Unavailable("no container engine answers", error) from error
    except PrerequisiteError as error:
        raise Unavailable("the engine is on another machine", error) from error
    forced = wish.runtime == "containers"
    reason = "asked for with --runtime containers" if forced else f"{engine} answers"
    return ContainersRuntime(_setup(wish, engine, notify, clone), reason=reason)


def _setup(
    wish: "Wish", engine: Engine, notify: "Notify", clone: Path
) -> ContainerSetup:
    session = Session.begin()
    try:
        with Resolver(
            read_pins(clone),
            engine,
            notify=notify,
            labels=session.labels,
            strict=wish.strict,
        ) as resolver:
            return ContainerSetup(
                engine=engine,
                postgres=resolver.resolve(wish.postgres or DEFAULT_POSTGRES),
                daemon=resolver.resolve(wish.image or f"palace-{wish.build}"),
                build=wish.build,
                port=wish.port,
                embedder=ContainerEmbedder(
                    resolver.resolve(EMBEDDER_IMAGE), wish.embedder
                )
                if wish.embedder
                else None,
                settings=wish.settings,
                session=session,
            )
    except DigestError:
        raise
    except PrerequisiteError as error:
        if isinstance(error, EngineError):
            _raise_if_mendable(error)
        short = (
            f"{engine} answers, but its images can be neither found, pulled nor built"
        )
        raise Unavailable(short, error) from error


def require_here(engine: Engine) -> None:
    """Refuse an engine whose loopback is not ours: the daemon would be out of reach."""
    endpoint = engine.endpoint
    if endpoint.is_local or urlsplit(endpoint.url).hostname in LOOPBACK_NAMES:
        return
    raise PrerequisiteError(
        "the engine runs on another machine, and the daemon would be published on that"
        " machine's loopback.",
        where=endpoint.url,
        remedy="Run the harness there, or use an engine of this machine.",
    )


def _raise_if_mendable(error: EngineError) -> None:
    if error.trouble in NONE_ANSWERS:
        return
    if "embedded" not in error.remedy:
        error.remedy = f"{error.remedy} Or use --runtime embedded."
    raise error
