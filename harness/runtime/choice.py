"""Which way the reference daemon comes to be, and why that one.

Containers are the default where an engine answers and its images can be had. Where no
engine answers, or its images can be neither found, fetched nor built, the daemon runs
embedded: the report and the person who waits are both told. An engine that is there but
forbidden, too old or full is not passed over: somebody meant to use it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from harness.errors import UsageError
from harness.report.model import Caution
from harness.runtime.base import Runtime
from harness.runtime.embedded import EmbeddedRuntime, palace_setup
from harness.runtime.embedder import EmbedderWish, embedder_setup
from harness.runtime.palace import Build
from harness.runtime.postgres import CLONE

Asked = Literal["auto", "containers", "embedded"]
Notify = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a person asked for.

    Attributes:
        runtime: ``auto`` leaves the choice to us.
        build: Which build of the daemon.
        image: Name of the daemon's image, of that build, where one was asked for.
        postgres: Name of the database's image, where one was asked for; only
            containers have a choice.
        port: The daemon's port on loopback, 0 for any free one.
        strict: Refuse images that are not the locked ones.
        embedder: The embedder that the daemon shall embed with; none by default.
        settings: Variables for the daemon beyond what the harness sets, ``PALACE_...``.
            In containers everybody who may use the engine can read them: no secrets.
    """

    runtime: Asked = "auto"
    build: Build = "debug"
    image: str | None = None
    postgres: str | None = None
    port: int = 0
    strict: bool = False
    embedder: EmbedderWish | None = None
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def must_be_containers(self) -> bool:
        """Whether the embedded runtime would not be what was asked for."""
        named = self.postgres is not None or self.image is not None
        return self.runtime == "containers" or named or self.strict


def choose(wish: Wish, *, notify: Notify, warn: Notify, clone: Path = CLONE) -> Runtime:
    """Choose a runtime and get the images it needs; starts no daemon yet.

    Args:
        wish: What was asked for.
        notify: Told in a few words what is being fetched or built, which can take
            minutes.
        warn: Told in whole sentences why it is not containers, where nobody asked for
            anything else.
        clone: The clone whose images and daemon are meant.

    Raises:
        EngineError: Containers were asked for and no engine can be used; or one is
            there that is forbidden, too old or full.
        DigestError: An image is not what its digest promises.
        PrerequisiteError: Containers were asked for, and an image cannot be had.
        UsageError: The embedded runtime was asked for something only containers have;
            or the chosen Docker context or the list of images cannot be read.
    """
    if wish.runtime == "embedded":
        if wish.must_be_containers:
            raise UsageError(
                "the embedded runtime has one Postgres and no images to check.",
                remedy="Leave --runtime embedded out.",
            )
        return _embedded(wish, clone, "asked for with --runtime embedded")
    # Here, because the engine's client takes a quarter of a second to load.
    from harness.runtime.container.preparing import (  # noqa: PLC0415
        Unavailable,
        prepare,
    )

    try:
        return prepare(wish, notify=notify, clone=clone)
    except Unavailable as found:
        if wish.must_be_containers:
            raise found.error from found
        warn(f"The daemon runs embedded, not in containers: {found.error}")
        caution = Caution(
            code="not-in-containers",
            text=f"The daemon ran embedded, because {found.short}.",
            remedy="Compare its latency with embedded runs on the same machine only.",
        )
        return _embedded(wish, clone, f"by default, since {found.short}", (caution,))


def _embedded(
    wish: Wish, clone: Path, reason: str, cautions: tuple[Caution, ...] = ()
) -> EmbeddedRuntime:
    embedder = wish.embedder
    return EmbeddedRuntime(
        wish.build,
        reason=reason,
        setup=palace_setup(
            wish.build, port=wish.port, settings=wish.settings, clone=clone
        ),
        embedder=embedder_setup(embedder, clone=clone) if embedder else None,
        cautions=cautions,
    )
