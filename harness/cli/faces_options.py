"""The words that ask for another face of a report or a verdict, and for its history."""

import argparse
from importlib import import_module
from pathlib import Path

from harness.cli.shared import Commands, Parser
from harness.errors import ExitCode


def add_faces(command: Parser) -> None:
    """Add the faces that go into files, beside what is printed."""
    command.add_argument(
        "--html", type=Path, metavar="FILE", help="write one self-contained page"
    )
    command.add_argument(
        "--junit", type=Path, metavar="FILE", help="write JUnit XML, a case a judgment"
    )
    command.add_argument(
        "--sarif", type=Path, metavar="FILE", help="write what failed as SARIF 2.1.0"
    )


def add_printed(command: Parser, json_help: str = "print JSON instead") -> None:
    """Add what may be printed in the place of tables, one or the other."""
    printed = command.add_mutually_exclusive_group()
    printed.add_argument("--json", action="store_true", help=json_help)
    printed.add_argument(
        "--markdown",
        action="store_true",
        help="print Markdown instead, for a pull request or a job summary",
    )


def add_history(commands: Commands) -> None:
    """Add ``history``: kept reports, commit by commit."""
    command = commands.add_parser(
        "history", help="draw metrics over commits from kept reports"
    )
    command.add_argument("folder", type=Path, help="where the reports are kept")
    command.add_argument(
        "--html", type=Path, metavar="FILE", help="write one self-contained page"
    )
    command.set_defaults(run=_run_history, variables=())


def _run_history(arguments: argparse.Namespace) -> ExitCode:
    # Loaded only where it is wanted: every other command starts without it.
    code: ExitCode = import_module("harness.cli.history").run(arguments)
    return code
