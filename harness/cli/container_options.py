"""The words of the commands that need a container engine."""

import argparse
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from harness.cli.embedding_options import add_embedding_cache
from harness.cli.shared import (
    DATASET,
    OUT,
    REPETITIONS,
    SCALE,
    Commands,
    add_dataset,
    add_embedder,
    add_json,
    add_port,
    add_repetitions,
    add_scale,
    add_starting,
    add_url,
)
from harness.cli.values import whole

Run = Callable[[argparse.Namespace], int]


def add_matrix(commands: Commands) -> None:
    """Add ``harness matrix``."""
    command = commands.add_parser(
        "matrix", help="measure every Postgres with every build, and hold them together"
    )
    add_dataset(command)
    add_starting(command)
    add_repetitions(command)
    add_scale(command)
    command.add_argument(
        "--cells",
        nargs="+",
        metavar="NAME",
        help="only these cells; the first is what the others are held against",
    )
    add_json(command)
    command.set_defaults(
        run=_later("matrix", "run"), variables=(DATASET, REPETITIONS, SCALE)
    )


def add_reproduce(commands: Commands) -> None:
    """Add ``harness reproduce``."""
    command = commands.add_parser(
        "reproduce", help="run a report again: same images, same data, same quality?"
    )
    command.add_argument("report", type=Path)
    command.add_argument(
        "--dataset",
        type=Path,
        help="the very data set file (whichever in datasets/ has the report's SHA-256)",
    )
    add_port(command)
    add_url(command)
    add_embedder(command)
    add_embedding_cache(command)
    command.add_argument(
        "--repetitions",
        type=whole,
        default=0,
        help="timed passes after the scored one (0)",
    )
    command.add_argument(
        "--out", type=Path, help="keep the report of the re-run (EVAL_OUT)"
    )
    add_json(command)
    command.set_defaults(run=_later("reproduce", "run"), variables=(OUT,))


def add_images(commands: Commands) -> None:
    """Add ``harness images`` and what it can do."""
    command = commands.add_parser(
        "images", help="list the container images; lock or build them"
    )
    command.add_argument(
        "--lock",
        action="store_true",
        help="build all, and write what they resolve to into images/images.lock",
    )
    command.add_argument(
        "--newest",
        action="store_true",
        help="with --lock: take Debian's newest packages instead of the locked ones",
    )
    command.set_defaults(run=_later("images", "run"), variables=())
    parts = command.add_subparsers(required=False, metavar="ACTION")

    matrix = parts.add_parser("matrix", help="name the cells of the matrix")
    add_json(matrix, "in the form a workflow's strategy.matrix reads")
    matrix.set_defaults(run=_later("images", "run_matrix"), variables=())

    build = parts.add_parser("build", help="get images into the engine")
    build.add_argument("names", nargs="+", metavar="NAME")
    build.add_argument(
        "--strict-images",
        action="store_true",
        help="refuse what is not the locked image",
    )
    build.set_defaults(run=_later("images", "run_build"), variables=())


def add_sweep(commands: Commands) -> None:
    """Add ``harness sweep``."""
    command = commands.add_parser(
        "sweep", help="remove from the engine what killed runs left"
    )
    command.add_argument(
        "--images",
        action="store_true",
        help="remove the images the harness built as well, but those in use",
    )
    command.set_defaults(run=_later("sweep", "run"), variables=())


def _later(module: str, function: str) -> Run:
    """Load a command when it runs: the engine's client takes a quarter of a second."""

    def run(arguments: argparse.Namespace) -> int:
        command = getattr(import_module(f"harness.cli.{module}"), function)
        return int(command(arguments))

    return run
