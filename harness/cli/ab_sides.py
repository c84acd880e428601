"""Which two daemons ``harness ab`` was asked for."""

import argparse
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from harness.cli.progress import notify, warn
from harness.cli.target import ROOT, live_runtime, started_wish
from harness.errors import UsageError
from harness.measure.ab.sides import Side
from harness.runtime.base import Runtime
from harness.runtime.choice import choose
from harness.runtime.images.catalogue import Pins, read_pins
from harness.runtime.palace import Build
from harness.runtime.probe import normal_url

BUILDS: tuple[Build, ...] = get_args(Build)
RUNNING = "a running daemon"

OURS = frozenset({"DATABASE_URL", "BIND", "BUILD", "READY_FILE"})
"""Settings that the harness itself makes, without their prefix."""
SECRET = re.compile(r"TOKEN|KEY|SECRET|PASSWORD")
SETTING = re.compile(r"PALACE_([A-Z][A-Z0-9_]*)=(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Chosen:
    """One side, ready to be measured, and how the result names it."""

    side: Side
    asked: str
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A side that the harness starts."""

    build: Build
    image: str | None
    strict: bool


class _Instances:
    """Make one runtime after the other, the first at once.

    Images are found or built before anything is measured, and a warning is given once.
    """

    def __init__(
        self, arguments: argparse.Namespace, wanted: _Wanted, told: Mapping[str, str]
    ) -> None:
        self._arguments = arguments
        self._wanted = wanted
        self._told = told
        self._first: Runtime | None = self._made(quiet=False)

    def __call__(self) -> Runtime:
        """Return a runtime that nobody has entered."""
        first, self._first = self._first, None
        return first or self._made(quiet=True)

    def _made(self, *, quiet: bool) -> Runtime:
        arguments, wanted = self._arguments, self._wanted
        if wanted.strict:
            arguments = argparse.Namespace(**{**vars(arguments), "strict_images": True})
        wish = started_wish(
            arguments, wanted.build, postgres=arguments.postgres, settings=self._told
        )
        return choose(
            replace(wish, image=wanted.image),
            notify=notify,
            warn=(lambda _: None) if quiet else warn,
        )


def chosen_sides(arguments: argparse.Namespace) -> tuple[Chosen, Chosen]:
    """Turn the words of the command into two sides; gets the images they need.

    Raises:
        UsageError: A side, or what goes with it, cannot be used.
        PrerequisiteError: What was asked for cannot be had on this machine.
    """
    base, candidate = arguments.base, arguments.candidate
    if _is_address(base) and _is_address(candidate):
        if normal_url(base) == normal_url(candidate):
            raise UsageError(
                "both sides are one daemon.", remedy="Give the address of another."
            )
        _refuse_starting(arguments)
    return _chosen(arguments, "base"), _chosen(arguments, "candidate")


def _chosen(arguments: argparse.Namespace, role: str) -> Chosen:
    asked: str = getattr(arguments, role)
    told = settings_of(getattr(arguments, f"{role}_setting"), f"--{role}-setting")
    token_file = getattr(arguments, f"{role}_token_file")
    if _is_address(asked):
        if told:
            raise UsageError(
                f"--{role}-setting does not go with a daemon that runs already.",
                remedy="It was told its settings when it was started.",
            )
        where = argparse.Namespace(url=asked, token_file=token_file)
        side = Side(role, lambda: live_runtime(where), started=False)
        return Chosen(side, RUNNING, told)
    if token_file is not None:
        raise UsageError(
            f"--{role}-token-file goes with the address of a running daemon.",
            remedy="A daemon that the harness starts gets a token of its own.",
        )
    wanted = _wanted(asked)
    if wanted.image is not None and arguments.runtime == "embedded":
        raise UsageError(
            f"the image {asked!r} does not go with --runtime embedded.",
            remedy=f"Only containers have images; the build is {wanted.build!r}.",
        )
    side = Side(role, _Instances(arguments, wanted, told), started=True)
    return Chosen(side, asked, told)


def _is_address(text: str) -> bool:
    return text.startswith(("http://", "https://"))


def _refuse_starting(arguments: argparse.Namespace) -> None:
    for option, given in (
        ("runtime", arguments.runtime != "auto"),
        ("strict-images", arguments.strict_images),
        ("postgres", arguments.postgres is not None),
    ):
        if given:
            raise UsageError(
                f"--{option} does not go with two running daemons.",
                remedy="The harness starts nothing where both run already.",
            )


def _wanted(asked: str) -> _Wanted:
    for build in BUILDS:
        if asked == build:
            return _Wanted(build, None, strict=False)
    pins = read_pins(ROOT)
    by_digest = "sha256:" in asked
    name = _locked_as(pins, asked) if by_digest else asked
    palaces = {
        name: source.build
        for name, source in pins.catalogue.images.items()
        if source.build is not None
    }
    if name is None or name not in palaces:
        raise UsageError(
            f"{asked!r} is no build, no image of the daemon and no address.",
            remedy=f"There are {', '.join([*BUILDS, *palaces])}, the digests that "
            "images/images.lock has of these, and http://HOST:PORT.",
        )
    # Whoever names a digest wants that image, and none built in its place.
    return _Wanted(palaces[name], name, strict=by_digest)


def _locked_as(pins: Pins, digest: str) -> str | None:
    """Find the image that the lock knows by *digest*, bare or behind ``name@``."""
    bare = digest[digest.index("sha256:") :]
    for name, locked in (pins.lock.images if pins.lock else {}).items():
        registry = (locked.registry or "").rpartition("@")[2]
        if bare in (locked.id, locked.manifest, locked.registry_id, registry):
            return name
    return None


def settings_of(given: Sequence[str], option: str) -> dict[str, str]:
    """Read ``PALACE_NAME=VALUE`` words.

    Raises:
        UsageError: One of them is no such word, is named twice, is set by the harness
            itself, or looks like a secret, which results must not hold.
    """
    told: dict[str, str] = {}
    for text in given:
        found = SETTING.fullmatch(text)
        if found is None:
            raise UsageError(
                f"{option} {text!r} is not PALACE_NAME=VALUE.",
                remedy="For example PALACE_EXACT_LIMIT=0.",
            )
        name = f"PALACE_{found[1]}"
        if found[1] in OURS or SECRET.search(found[1]):
            raise UsageError(
                f"{option}: {name} cannot be set here.",
                remedy="The harness makes it itself, or it is a secret, and results "
                "keep every setting.",
            )
        if name in told:
            raise UsageError(f"{option} names {name} twice.")
        told[name] = found[2]
    return told
