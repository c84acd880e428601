"""Which daemon a command measures, and which data set."""

import argparse
import os
from pathlib import Path

from harness.cli.progress import notify, warn
from harness.dataset.model import Dataset
from harness.dataset.read import read_dataset
from harness.errors import UsageError
from harness.runtime.base import Runtime
from harness.runtime.choice import Wish, choose
from harness.runtime.live import LiveRuntime
from harness.runtime.palace import Build

ROOT = Path(__file__).resolve().parents[2]
"""The clone: data sets, baselines and the reference daemon lie in it."""

CORE = ROOT / "datasets" / "core.json"
TOKEN_VARIABLE = "HARNESS_TOKEN"


def chosen_dataset(arguments: argparse.Namespace) -> Dataset:
    """Read the data set that was asked for, or the bundled one."""
    return read_dataset(arguments.dataset or CORE)


def chosen_runtime(arguments: argparse.Namespace) -> Runtime:
    """Decide how the daemon comes to be; gets the images it needs, which can take long.

    Raises:
        UsageError: Options that exclude each other, or a token file that can't be read.
        PrerequisiteError: What was asked for cannot be had on this machine.
    """
    if arguments.url is not None:
        return _running(arguments)
    if arguments.token_file is not None:
        raise UsageError(
            "--token-file goes with --url.",
            remedy="A daemon that the harness starts gets a token of its own.",
        )
    build: Build = "release" if arguments.build == "release" else "debug"
    return started_runtime(arguments, build, postgres=arguments.postgres)


def started_runtime(
    arguments: argparse.Namespace, build: Build, *, postgres: str | None
) -> Runtime:
    """Decide how the reference daemon is started.

    Args:
        arguments: Holds ``runtime`` and ``strict_images``; ``port`` where a command
            has that option.
        build: Which build of the daemon.
        postgres: Major version of the containers' Postgres; ``None``: no wish.

    Raises:
        UsageError: Options that exclude each other.
        PrerequisiteError: What was asked for cannot be had on this machine.
    """
    if arguments.runtime == "embedded":
        for option, given in (
            ("postgres", postgres is not None),
            ("strict-images", arguments.strict_images),
        ):
            if given:
                raise UsageError(
                    f"--{option} does not go with --runtime embedded.",
                    remedy="Only containers have images, and a choice of Postgres.",
                )
    wish = Wish(
        runtime=arguments.runtime,
        build=build,
        postgres=None if postgres is None else f"postgres-{postgres}",
        port=getattr(arguments, "port", None) or 0,
        strict=arguments.strict_images,
    )
    return choose(wish, notify=notify, warn=warn)


def live_runtime(arguments: argparse.Namespace) -> LiveRuntime:
    """Measure the daemon at ``--url``, with the token that goes with it.

    Raises:
        UsageError: The token file cannot be read.
    """
    return LiveRuntime(arguments.url, _token(arguments.token_file))


def _running(arguments: argparse.Namespace) -> Runtime:
    for option in ("build", "postgres", "port"):
        if getattr(arguments, option) is not None:
            raise UsageError(
                f"--{option} does not go with --url.",
                remedy="A running daemon has its build, its Postgres and its port"
                " already.",
            )
    if arguments.runtime != "auto" or arguments.strict_images:
        option = "strict-images" if arguments.strict_images else "runtime"
        raise UsageError(
            f"--{option} does not go with --url.",
            remedy="The harness starts nothing where a daemon runs already.",
        )
    return live_runtime(arguments)


def _token(file: Path | None) -> str | None:
    if file is None:
        return os.environ.get(TOKEN_VARIABLE) or None
    try:
        token = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"the token file {str(file)!r} cannot be read: {error}.",
            remedy="Give a text file that holds the bearer token alone.",
        ) from error
    if not token:
        raise UsageError(f"the token file {str(file)!r} is empty.")
    return token
