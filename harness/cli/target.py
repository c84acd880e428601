"""Which daemon a command measures, and which data set."""

import argparse
import os
from pathlib import Path

from harness.dataset.model import Dataset
from harness.dataset.read import read_dataset
from harness.errors import UsageError
from harness.runtime.base import Runtime
from harness.runtime.embedded import EmbeddedRuntime, palace_setup
from harness.runtime.live import LiveRuntime
from harness.runtime.palace import Build

ROOT = Path(__file__).resolve().parents[2]
"""The clone: data sets, baselines and the reference daemon lie in it."""

CORE = ROOT / "datasets" / "core.json"
TOKEN_VARIABLE = "HARNESS_TOKEN"
BY_DEFAULT = "by default: it needs no container engine"


def chosen_dataset(arguments: argparse.Namespace) -> Dataset:
    """Read the data set that was asked for, or the bundled one."""
    return read_dataset(arguments.dataset or CORE)


def chosen_runtime(arguments: argparse.Namespace) -> Runtime:
    """Decide how the daemon comes to be.

    Raises:
        UsageError: Options that exclude each other, or a token file that can't be read.
    """
    if arguments.url is None:
        if arguments.token_file is not None:
            raise UsageError(
                "--token-file goes with --url.",
                remedy="A daemon that the harness starts gets a token of its own.",
            )
        forced = arguments.runtime == "embedded"
        build: Build = "release" if arguments.build == "release" else "debug"
        return EmbeddedRuntime(
            build,
            reason="asked for with --runtime embedded" if forced else BY_DEFAULT,
            setup=palace_setup(build, port=arguments.port or 0),
        )
    for option in ("build", "port"):
        if getattr(arguments, option) is not None:
            raise UsageError(
                f"--{option} does not go with --url.",
                remedy="A running daemon has its build and its port already.",
            )
    return LiveRuntime(arguments.url, _token(arguments.token_file))


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
