"""Words that several commands of the command line share."""

import argparse
from pathlib import Path
from typing import NoReturn, TypeAlias

from harness.cli.values import Variable, port, threshold, whole
from harness.errors import UsageError

DATASET = Variable("dataset", "EVAL_DATASET", Path, None)
REPETITIONS = Variable("repetitions", "EVAL_REPETITIONS", whole, 5)
SCALE = Variable("scale", "EVAL_SCALE", whole, 0)
OUT = Variable("out", "EVAL_OUT", Path, None)
THRESHOLD = Variable("threshold", "EVAL_THRESHOLD", threshold, 0.02)


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are ours: one sentence and exit code 64."""

    def error(self, message: str) -> NoReturn:
        """Refuse the words given, naming the command that explains them."""
        raise UsageError(f"{message}.", remedy=f"See `{self.prog} --help`.")


Commands: TypeAlias = "argparse._SubParsersAction[Parser]"


def add_target(command: Parser) -> None:
    """Add what chooses a daemon and a data set."""
    add_dataset(command)
    add_daemon(command, build="debug")


def add_daemon(command: Parser, *, build: str) -> None:
    """Add what chooses a daemon: one to start, of which build, or one that runs.

    Args:
        command: Gets the options.
        build: What the command takes where none is chosen; said in the help.
    """
    command.add_argument(
        "--build",
        choices=("debug", "release"),
        help=f"build of the reference daemon ({build})",
    )
    add_postgres(command)
    add_starting(command)
    add_port(command)
    add_url(command)


def add_postgres(command: Parser) -> None:
    """Add the option for the containers' Postgres."""
    command.add_argument(
        "--postgres", choices=("17", "18"), help="Postgres of the containers (18)"
    )


def add_dataset(command: Parser) -> None:
    """Add the option for the data set."""
    command.add_argument(
        "--dataset",
        type=Path,
        help="data set file (EVAL_DATASET, else datasets/core.json)",
    )


def add_starting(command: Parser) -> None:
    """Add what chooses a way to start the reference daemon."""
    command.add_argument(
        "--runtime",
        choices=("auto", "containers", "embedded"),
        default="auto",
        help="how the reference daemon is started (auto)",
    )
    command.add_argument(
        "--strict-images",
        action="store_true",
        help="refuse images that are not the ones images/images.lock names",
    )


def add_port(command: Parser) -> None:
    """Add the option for the daemon's port."""
    command.add_argument(
        "--port", type=port, help="the daemon's loopback port (any free one)"
    )


def add_url(command: Parser) -> None:
    """Add what chooses a daemon that runs already."""
    command.add_argument("--url", help="measure the daemon at this address instead")
    command.add_argument(
        "--token-file",
        type=Path,
        help="file with the bearer token for --url (else HARNESS_TOKEN)",
    )
    command.add_argument(
        "--allow-nonempty",
        action="store_true",
        help="measure a palace that already holds drawers",
    )


def add_embedder(command: Parser) -> None:
    """Add what names the embedder of a daemon that runs already."""
    command.add_argument(
        "--embedder",
        nargs=2,
        metavar=("URL", "CONTROL_URL"),
        help="this project's embedder that the daemon at --url embeds with: where it"
        " embeds, /v1 included, and where it takes orders",
    )


def add_repetitions(command: Parser) -> None:
    """Add the option for the timed passes."""
    command.add_argument(
        "--repetitions",
        type=whole,
        help="timed passes after the scored one (EVAL_REPETITIONS, else 5)",
    )


def add_scale(command: Parser) -> None:
    """Add the option for filler."""
    command.add_argument(
        "--scale",
        type=whole,
        help="filler drawers written beside the data set (EVAL_SCALE, else 0)",
    )


def add_json(command: Parser, help_text: str = "print JSON instead") -> None:
    """Add the switch for machines."""
    command.add_argument("--json", action="store_true", help=help_text)


def add_judgment(command: Parser) -> None:
    """Add what a verdict against a baseline needs."""
    command.add_argument(
        "--baseline",
        type=Path,
        help="the baseline's file (baselines/ and the data set's file name)",
    )
    add_threshold(command)


def add_threshold(command: Parser) -> None:
    """Add the option for the loss that may pass."""
    command.add_argument(
        "--threshold",
        type=threshold,
        help="loss beyond which a metric fails (EVAL_THRESHOLD, else 0.02)",
    )
