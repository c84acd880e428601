"""Which runtime is taken, and that nobody is left in the dark about why."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import get_args

import pytest

from harness.errors import ExitCode, PrerequisiteError, UsageError
from harness.runtime.base import Runtime
from harness.runtime.choice import Wish, choose
from harness.runtime.container import preparing
from harness.runtime.containers import ContainersRuntime
from harness.runtime.embedded import EmbeddedRuntime
from harness.runtime.embedder import EmbedderWish, embedder_setup
from harness.runtime.endpoints import Endpoint
from harness.runtime.engine import Engine, EngineError, Trouble
from harness.runtime.images.catalogue import ImageSource
from harness.runtime.images.resolve import Resolved
from harness.runtime.images.store import DigestError

ENGINE = Engine(
    endpoint=Endpoint("unix:///run/engine.sock", "DOCKER_HOST"),
    product="docker",
    version="28.0",
    api=(1, 48),
    architecture="amd64",
    root="",
    rootless=False,
)
REMOTE = Engine(
    endpoint=Endpoint("tcp://engine.example:2376", "DOCKER_HOST"),
    product="docker",
    version="28.0",
    api=(1, 48),
    architecture="amd64",
    root="",
    rootless=False,
)


EMBEDDER = EmbedderWish(model="trigram-384", dimension=384)


@dataclass
class World:
    """A machine whose engine and images are what a test says."""

    engine: Engine | EngineError = ENGINE
    images: PrerequisiteError | None = None
    warnings: list[str] = field(default_factory=list)
    asked_for: list[str] = field(default_factory=list)

    def choose(self, wish: Wish) -> Runtime:
        """Choose as on that machine, noting what a person is told."""
        return choose(wish, notify=lambda _: None, warn=self.warnings.append)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    there = World()

    def discover() -> Engine:
        if isinstance(there.engine, EngineError):
            raise there.engine
        return there.engine

    class Resolver:
        def __init__(self, *_: object, **options: object) -> None:
            assert options["labels"]

        def __enter__(self) -> "Resolver":
            return self

        def __exit__(self, *_: object) -> None:
            """Nothing is open."""

        def resolve(self, name: str) -> Resolved:
            there.asked_for.append(name)
            if there.images:
                raise there.images
            return an_image(name)

    monkeypatch.setattr(preparing, "discover", discover)
    monkeypatch.setattr(preparing, "read_pins", lambda _: None)
    monkeypatch.setattr(preparing, "Resolver", Resolver)
    return there


def an_image(name: str) -> Resolved:
    digest = f"sha256:{'0' * 64}"
    source = ImageSource(
        role="postgres", major=18, root="r", user="5:5", entrypoint=("x",)
    )
    return Resolved(name, digest, digest, "present", True, (), 0.0, source)


def trouble(kind: Trouble) -> EngineError:
    return EngineError(
        "no socket at /home/somebody/docker.sock.", trouble=kind, remedy="Mend it."
    )


def test_containers_are_the_default_where_an_engine_answers(world: World) -> None:
    chosen = world.choose(Wish())

    assert isinstance(chosen, ContainersRuntime)
    assert chosen.reason == "docker 28.0 (API 1.48) at DOCKER_HOST answers"
    assert world.asked_for == ["postgres-18", "palace-debug"]
    assert world.warnings == []


def test_embedder_is_one_image_more_and_only_where_it_is_asked_for(
    world: World,
) -> None:
    chosen = world.choose(Wish(embedder=EMBEDDER))

    assert isinstance(chosen, ContainersRuntime)
    assert world.asked_for == ["postgres-18", "palace-debug", "embedder"]


def test_embedded_daemon_without_an_embedder_is_told_of_none(world: World) -> None:
    chosen = world.choose(Wish(runtime="embedded"))

    assert isinstance(chosen, EmbeddedRuntime)
    assert chosen.setup.settings == {}
    assert chosen.embedder is None


def test_settings_and_embedder_reach_the_embedded_daemon(
    tmp_path: Path, world: World
) -> None:
    world.engine = trouble("absent")
    wish = Wish(embedder=EMBEDDER, settings={"PALACE_RANKING_PRESET": "recall"})
    chosen = choose(wish, notify=lambda _: None, warn=lambda _: None, clone=tmp_path)

    assert isinstance(chosen, EmbeddedRuntime)
    assert chosen.setup.settings == {"PALACE_RANKING_PRESET": "recall"}
    assert chosen.embedder == embedder_setup(EMBEDDER, clone=tmp_path)


def test_settings_and_embedder_reach_the_containers(world: World) -> None:
    wish = Wish(embedder=EMBEDDER, settings={"PALACE_RANKING_PRESET": "recall"})
    chosen = world.choose(wish)

    assert isinstance(chosen, ContainersRuntime)
    assert chosen.setup.settings == {"PALACE_RANKING_PRESET": "recall"}
    assert chosen.setup.embedder is not None
    assert chosen.setup.embedder.wish == EMBEDDER
    assert chosen.setup.embedder.image.name == "embedder"


def test_asking_for_containers_is_the_reason(world: World) -> None:
    chosen = world.choose(
        Wish(runtime="containers", build="release", postgres="postgres-17")
    )

    assert chosen.reason == "asked for with --runtime containers"
    assert world.asked_for == ["postgres-17", "palace-release"]


def test_asking_for_embedded_asks_no_engine(world: World) -> None:
    world.engine = trouble("forbidden")
    chosen = world.choose(Wish(runtime="embedded"))

    assert isinstance(chosen, EmbeddedRuntime)
    assert chosen.reason == "asked for with --runtime embedded"
    assert world.warnings == []


@pytest.mark.parametrize("kind", ["absent", "silent", "broken"])
def test_without_an_answering_engine_it_is_embedded_and_said_loudly(
    world: World, kind: Trouble
) -> None:
    world.engine = trouble(kind)
    chosen = world.choose(Wish())

    assert isinstance(chosen, EmbeddedRuntime)
    assert chosen.reason == "by default, since no container engine answers"
    (warning,) = world.warnings
    assert "embedded" in warning
    assert "Mend it." in warning


@pytest.mark.parametrize("kind", ["forbidden", "old", "full"])
def test_engine_that_a_person_can_mend_is_not_passed_over(
    world: World, kind: Trouble
) -> None:
    world.engine = trouble(kind)
    with pytest.raises(EngineError) as caught:
        world.choose(Wish())

    assert caught.value.exit_code == ExitCode.UNAVAILABLE
    assert caught.value.remedy == "Mend it. Or use --runtime embedded."


@pytest.mark.parametrize("kind", get_args(Trouble))
def test_asking_for_containers_never_falls_back(world: World, kind: Trouble) -> None:
    world.engine = trouble(kind)
    for wish in (Wish(runtime="containers"), Wish(postgres="postgres-17")):
        with pytest.raises(EngineError):
            world.choose(wish)


def test_images_that_cannot_be_had_lead_to_embedded_loudly(world: World) -> None:
    world.images = PrerequisiteError("no mmdebstrap.", remedy="Install it.")
    chosen = world.choose(Wish())

    assert isinstance(chosen, EmbeddedRuntime)
    assert "its images can be neither found, pulled nor built" in chosen.reason
    assert "Install it." in world.warnings[0]
    with pytest.raises(PrerequisiteError, match="mmdebstrap"):
        world.choose(Wish(runtime="containers"))


def test_full_disk_while_building_ends_the_run(world: World) -> None:
    world.images = trouble("full")
    with pytest.raises(EngineError):
        world.choose(Wish())


def test_wrong_digest_ends_the_run(world: World) -> None:
    world.images = DigestError("another image.")
    with pytest.raises(DigestError):
        world.choose(Wish())


def test_engine_on_another_machine_is_of_no_use(world: World) -> None:
    world.engine = REMOTE
    chosen = world.choose(Wish())

    assert chosen.reason == "by default, since the engine is on another machine"
    with pytest.raises(PrerequisiteError, match="another machine"):
        world.choose(Wish(runtime="containers"))


def test_reason_gives_no_path_away(world: World) -> None:
    for engine in (trouble("absent"), REMOTE):
        world.engine = engine
        assert "/" not in world.choose(Wish()).reason


@pytest.mark.parametrize("wish", [Wish(strict=True), Wish(postgres="postgres-17")])
def test_embedded_refuses_what_only_containers_have(world: World, wish: Wish) -> None:
    with pytest.raises(UsageError):
        world.choose(replace(wish, runtime="embedded"))


def test_clone_without_an_engine_needs_no_images(tmp_path: Path, world: World) -> None:
    world.engine = trouble("absent")
    chosen = choose(Wish(), notify=lambda _: None, warn=lambda _: None, clone=tmp_path)

    assert chosen.name == "embedded"
