"""``harness images``: what images there are, what they resolved to, and where from."""

import argparse
import sys

from rich.console import Console

from harness.cli.progress import notify
from harness.cli.target import ROOT
from harness.errors import ExitCode, UsageError
from harness.report.layout import listed, say, shown, table, terminal
from harness.runtime.container.session import Session
from harness.runtime.engine import Engine, EngineError, discover
from harness.runtime.images.catalogue import Lock, Pins, read_pins
from harness.runtime.images.locking import lock_images, outdated
from harness.runtime.images.matrix import as_json, cells
from harness.runtime.images.resolve import Resolver
from harness.runtime.images.store import Store
from harness.runtime.signals import unwinding
from harness.units import seconds, size

ID_DIGITS = 12


def run(arguments: argparse.Namespace) -> ExitCode:
    """List the catalogue, or write the lock."""
    if arguments.newest and not arguments.lock:
        raise UsageError("--newest goes with --lock.")
    if arguments.lock:
        return _lock(newest=arguments.newest)
    pins = read_pins(ROOT)
    console = terminal()
    try:
        engine = discover()
    except EngineError as error:
        _print_table(pins, {}, console)
        say(console, "no engine", str(error))
        return ExitCode.PASSED
    _print_table(pins, _present(pins, engine), console)
    say(console, "engine", str(engine))
    return ExitCode.PASSED


def run_matrix(arguments: argparse.Namespace) -> ExitCode:
    """Name every cell of the matrix, for people or for a workflow."""
    found = cells(read_pins(ROOT).catalogue)
    if arguments.json:
        print(as_json(found))
    else:
        for cell in found:
            print(f"{cell.name}: {cell.postgres}, {cell.palace}")
    return ExitCode.PASSED


def run_build(arguments: argparse.Namespace) -> ExitCode:
    """Get images into the engine: found there, pulled, or built."""
    pins = read_pins(ROOT)
    for name in arguments.names:
        # All names first: a build takes minutes.
        pins.catalogue.image(name)
    with (
        unwinding(),
        Resolver(
            pins,
            discover(),
            notify=notify,
            labels=Session.begin().labels,
            strict=arguments.strict_images,
        ) as resolver,
    ):
        for name in arguments.names:
            found = resolver.resolve(name)
            print(f"{name} {found.digest}, {found.origin} in {seconds(found.seconds)}")
            for caution in found.cautions:
                print(f"{name}: {caution}", file=sys.stderr)
    return ExitCode.PASSED


def _lock(*, newest: bool) -> ExitCode:
    pins = read_pins(ROOT)
    with unwinding():
        lock = lock_images(
            pins,
            discover(),
            newest=newest,
            notify=notify,
            labels=Session.begin().labels,
        )
    for name, image in lock.images.items():
        before = pins.lock.images.get(name) if pins.lock else None
        if before is None:
            print(f"{name}: {_short(image.id)}, new")
        elif before.id == image.id:
            print(f"{name}: {_short(image.id)}, as before")
        else:
            print(f"{name}: {_short(before.id)} -> {_short(image.id)}")
    print("Wrote images/images.lock: read the difference, and commit it.")
    return ExitCode.PASSED


def _present(pins: Pins, engine: Engine) -> dict[str, bool]:
    """Ask whether the engine has each locked image; it is asked by digest alone."""
    if pins.lock is None:
        return {}
    with Store(engine) as store:
        return {
            name: store.find(image.id, image.manifest, *filter(None, [image.registry]))
            is not None
            for name, image in pins.lock.images.items()
        }


def _print_table(pins: Pins, present: dict[str, bool], console: Console) -> None:
    old = outdated(pins)
    locked = pins.lock.images if pins.lock else {}
    sheet = table(console, ("image", "made of"), ("size", "locked id", "in the engine"))
    for name in pins.catalogue.images:
        image = locked.get(name)
        there = present.get(name)
        sheet.add_row(
            shown(name, console),
            shown(_made_of(pins, name), console),
            "-" if image is None else size(image.size),
            "-" if image is None else _short(image.id),
            "-" if there is None else "yes" if there else "no",
        )
    console.print(sheet)
    console.print()
    if old:
        text = f"images.lock was written from other sources: {listed(old)}."
        say(console, "caution", text, "Run `just images --lock`.", style="yellow")


def _made_of(pins: Pins, name: str) -> str:
    source = pins.catalogue.image(name)
    if source.registry:
        return source.registry
    versions = _packages(pins.lock, source.root)
    packages = [
        f"{package} {versions[package]}" if package in versions else package
        for package in pins.catalogue.roots[source.root].packages
    ]
    suite = f"Debian {pins.catalogue.debian.suite}"
    return listed([suite, *packages, *source.layers])


def _packages(lock: Lock | None, root: str) -> dict[str, str]:
    if lock is None or root not in lock.roots:
        return {}
    return dict(lock.roots[root].packages)


def _short(digest: str) -> str:
    return digest.removeprefix("sha256:")[:ID_DIGITS]
