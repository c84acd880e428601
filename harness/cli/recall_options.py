"""The words of the commands for recall tiers."""

import argparse
from importlib import import_module
from pathlib import Path

from harness.cli.faces_options import add_faces, add_printed
from harness.cli.shared import (
    OUT,
    Commands,
    add_daemon,
    add_embedder,
)
from harness.cli.values import positive
from harness.dataset.recall.tiers import TIERS
from harness.errors import ExitCode


def add_recall(commands: Commands) -> None:
    """Add ``harness recall``."""
    command = commands.add_parser(
        "recall", help="measure a recall tier, and hold it to its baseline and budgets"
    )
    command.add_argument(
        "tier", choices=tuple(TIERS), help="60, 1,000 or 10,000 documents"
    )
    command.add_argument(
        "--variant",
        choices=("published", "shuffled"),
        default="published",
        help="order of ingestion: the published one, or a seeded shuffle",
    )
    command.add_argument(
        "--repetitions",
        type=positive,
        default=1,
        help="timed passes after the scored one, at least 1 (1)",
    )
    add_daemon(command, build="release")
    add_embedder(command)
    command.add_argument(
        "--out",
        type=Path,
        help="the report's file (EVAL_OUT, else a new one in reports/)",
    )
    command.add_argument(
        "--results",
        type=Path,
        metavar="DIR",
        help="folder for recall-bench-results.json (the report's)",
    )
    command.add_argument(
        "--accept",
        action="store_true",
        help="make the exact values the baseline, if everything else holds",
    )
    add_printed(command, "print the report instead of tables")
    add_faces(command)
    command.set_defaults(run=_run, variables=(OUT,))


def add_registry(commands: Commands) -> None:
    """Add ``harness registry``."""
    command = commands.add_parser(
        "registry", help="read recall-bench results as a registry of benchmarks would"
    )
    command.add_argument(
        "files",
        nargs="*",
        type=Path,
        metavar="FILE",
        help="results files (the committed baselines)",
    )
    command.set_defaults(run=_run_registry, variables=())


def _run(arguments: argparse.Namespace) -> ExitCode:
    # Loaded when it runs, like the commands that need an engine.
    code: ExitCode = import_module("harness.cli.recall").run(arguments)
    return code


def _run_registry(arguments: argparse.Namespace) -> ExitCode:
    code: ExitCode = import_module("harness.cli.recall").run_registry(arguments)
    return code
