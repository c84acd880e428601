"""A containers runtime on the very images that an older run used.

The engine is asked for them by digest first, so that they serve even where the clone's
sources have moved on. Only then are they pulled or built, as far as this clone still
comes to the same digest.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

from harness.errors import IncomparableError
from harness.report.model import ImageFacts
from harness.runtime.choice import Wish
from harness.runtime.container.preparing import require_here
from harness.runtime.container.session import Session
from harness.runtime.container.specs import ContainerEmbedder
from harness.runtime.containers import ContainerSetup, ContainersRuntime
from harness.runtime.engine import Engine, discover
from harness.runtime.images.build import Notify
from harness.runtime.images.catalogue import ImageSource, Pins, read_pins
from harness.runtime.images.resolve import Resolved, Resolver
from harness.runtime.images.store import Store

Role = Literal["postgres", "palace", "embedder"]

ROLES: tuple[Role, ...] = ("postgres", "palace", "embedder")


def pinned(
    images: tuple[ImageFacts, ...], wish: Wish, *, notify: Notify, clone: Path
) -> ContainersRuntime:
    """Get exactly *images* into an engine, and a runtime that uses them.

    Args:
        images: As a report names them: a Postgres, a daemon and, where it had one, an
            embedder, in any order.
        wish: What else the run was told: which build the daemon's image is, its port,
            its embedder and its settings. What it asks of images is passed over.
        notify: Told in a few words what is being fetched or built.
        clone: The clone whose list of images says how a container of each starts.

    Raises:
        IncomparableError: An image is gone: neither in the engine, nor what this clone
            pulls or builds today.
        EngineError: No engine can be used.
        PrerequisiteError: An image has to be built, and cannot be.
    """
    engine = discover()
    require_here(engine)
    pins = read_pins(clone)
    session = Session.begin()
    wanted = _by_role(images, pins, ROLES if wish.embedder else ROLES[:2])
    with Resolver(pins, engine, notify=notify, labels=session.labels) as resolver:
        found = {
            role: _present(pins, engine, image) or _made(resolver, image)
            for role, image in wanted.items()
        }
    setup = ContainerSetup(
        engine=engine,
        postgres=found["postgres"],
        daemon=found["palace"],
        build=wish.build,
        port=wish.port,
        embedder=ContainerEmbedder(found["embedder"], wish.embedder)
        if wish.embedder
        else None,
        settings=wish.settings,
        session=session,
    )
    return ContainersRuntime(setup, reason="the images of an earlier report")


def _by_role(
    images: tuple[ImageFacts, ...], pins: Pins, roles: Iterable[Role]
) -> Mapping[Role, ImageFacts]:
    known = pins.catalogue.images
    found: dict[Role, ImageFacts] = {
        known[image.name].role: image for image in images if image.name in known
    }
    if found.keys() == set(roles) and len(found) == len(images):
        return found
    names = ", ".join(image.name for image in images) or "none"
    raise IncomparableError(
        f"the report's images are {names}, and not one for each of "
        f"{', '.join(roles)} that images/images.toml knows.",
        remedy="Check out the commit the report was made from.",
    )


def _present(pins: Pins, engine: Engine, image: ImageFacts) -> Resolved | None:
    source = pins.catalogue.images[image.name]
    lock = pins.lock.images.get(image.name) if pins.lock else None
    locked = lock is not None and lock.id == image.digest
    names = [image.digest, *_in_registry(source, image.digest)]
    if lock is not None and locked:
        # Some engines name an image by its manifest.
        names.append(lock.manifest)
    with Store(engine) as store:
        there = store.find(*names)
    if there is None:
        return None
    return Resolved(image.name, there, image.digest, "present", locked, (), 0.0, source)


def _in_registry(source: ImageSource, digest: str) -> list[str]:
    """Give the name under which a pulled image of that digest is known."""
    repository = (source.registry or "").partition("@")[0]
    return [f"{repository}@{digest}"] if repository else []


def _made(resolver: Resolver, image: ImageFacts) -> Resolved:
    found = resolver.resolve(image.name)
    if found.digest == image.digest:
        return found
    raise IncomparableError(
        f"the image {image.name} with the digest {image.digest} is gone: the engine "
        f"has it no more, and this clone's sources give {found.digest}.",
        where="images/images.toml",
        remedy="Check out the commit the report was made from, and try again.",
    )
