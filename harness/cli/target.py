"""Which daemon a command measures, and which data set."""

import argparse
import os
from collections.abc import Mapping
from pathlib import Path

from harness.cli.progress import notify, warn
from harness.dataset.model import Dataset
from harness.dataset.read import read_dataset
from harness.errors import UsageError
from harness.runtime.base import RunningEmbedder, Runtime
from harness.runtime.choice import Wish, choose
from harness.runtime.embedder import EmbedderWish
from harness.runtime.live import LiveRuntime
from harness.runtime.palace import Build
from harness.runtime.probe import normal_url

ROOT = Path(__file__).resolve().parents[2]
"""The clone: data sets, baselines and the reference daemon lie in it."""

CORE = ROOT / "datasets" / "core.json"
TOKEN_VARIABLE = "HARNESS_TOKEN"

TRIGRAMS = EmbedderWish(model="trigram-384", dimension=384)
"""What the recall tiers are embedded with: the public numbers rest on it."""

PATIENCE = {
    "PALACE_EMBEDDINGS_TIMEOUT_S": "2",
    "PALACE_EMBEDDINGS_QUERY_BUDGET_S": "0.5",
}
"""How long a daemon waits for an embedder of ours, which answers in milliseconds.

A fault that never answers is waited for to the end, by each document and each query
sent meanwhile.
"""


def chosen_dataset(arguments: argparse.Namespace) -> Dataset:
    """Read the data set that was asked for, or the bundled one."""
    return read_dataset(arguments.dataset or CORE)


def chosen_runtime(
    arguments: argparse.Namespace,
    *,
    default: Build = "debug",
    embedder: EmbedderWish | None = None,
    settings: Mapping[str, str] | None = None,
) -> Runtime:
    """Decide how the daemon comes to be; gets the images it needs, which can take long.

    Args:
        arguments: The target options of any command that measures.
        default: The build of a daemon that is started, where none was asked for.
        embedder: What such a daemon embeds with; one that runs already has its own.
        settings: Variables for such a daemon, ``PALACE_...``; no secrets.

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
    build: Build = arguments.build or default
    return started_runtime(
        arguments,
        build,
        postgres=arguments.postgres,
        embedder=embedder,
        settings=settings,
    )


def started_runtime(
    arguments: argparse.Namespace,
    build: Build,
    *,
    postgres: str | None,
    embedder: EmbedderWish | None = None,
    settings: Mapping[str, str] | None = None,
) -> Runtime:
    """Decide how the reference daemon is started; see `started_wish`.

    Raises:
        UsageError: Options that exclude each other.
        PrerequisiteError: What was asked for cannot be had on this machine.
    """
    wish = started_wish(
        arguments, build, postgres=postgres, embedder=embedder, settings=settings
    )
    return choose(wish, notify=notify, warn=warn)


def started_wish(
    arguments: argparse.Namespace,
    build: Build,
    *,
    postgres: str | None,
    embedder: EmbedderWish | None = None,
    settings: Mapping[str, str] | None = None,
) -> Wish:
    """Put what was asked for into words that a runtime is chosen by.

    Args:
        arguments: Holds ``runtime`` and ``strict_images``; ``port`` where a command
            has that option.
        build: Which build of the daemon.
        postgres: Major version of the containers' Postgres; ``None``: no wish.
        embedder: What the daemon embeds with; without one it embeds nothing.
        settings: Variables for the daemon beyond what the harness sets; no secrets.

    Raises:
        UsageError: Options that exclude each other.
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
    return Wish(
        runtime=arguments.runtime,
        build=build,
        postgres=None if postgres is None else f"postgres-{postgres}",
        port=getattr(arguments, "port", None) or 0,
        strict=arguments.strict_images,
        embedder=embedder,
        settings={**(PATIENCE if embedder else {}), **(settings or {})},
    )


def live_runtime(arguments: argparse.Namespace) -> LiveRuntime:
    """Measure the daemon at ``--url``, with the token and embedder that go with it.

    Raises:
        UsageError: The token file cannot be read.
    """
    embedder = None
    if getattr(arguments, "embedder", None) is not None:
        url, control_url = arguments.embedder
        embedder = RunningEmbedder(
            url=normal_url(url),
            control_url=normal_url(control_url),
            model=TRIGRAMS.model,
            dimension=TRIGRAMS.dimension,
        )
    return LiveRuntime(arguments.url, _token(arguments.token_file), embedder)


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
