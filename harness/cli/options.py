"""The words of the command line. An option wins over its ``EVAL_*`` variable."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn, TypeAlias

from harness import __version__
from harness.cli import evaluate, files, judging, postgres
from harness.cli.values import Variable, fill_from_environment, port, threshold, whole
from harness.errors import UsageError

DATASET = Variable("dataset", "EVAL_DATASET", Path, None)
REPETITIONS = Variable("repetitions", "EVAL_REPETITIONS", whole, 5)
SCALE = Variable("scale", "EVAL_SCALE", whole, 0)
OUT = Variable("out", "EVAL_OUT", Path, None)
THRESHOLD = Variable("threshold", "EVAL_THRESHOLD", threshold, 0.02)

Commands: TypeAlias = "argparse._SubParsersAction[Parser]"


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are ours: one sentence and exit code 64."""

    def error(self, message: str) -> NoReturn:
        """Refuse the words given, naming the command that explains them."""
        raise UsageError(f"{message}.", remedy=f"See `{self.prog} --help`.")


def parse_arguments(words: Sequence[str]) -> argparse.Namespace:
    """Turn the words of a command line into options; ``run`` is what to call.

    Raises:
        UsageError: A word, or a variable that was needed, cannot be used.
    """
    parser = Parser(
        prog="harness",
        description="Measure what a memory daemon finds, how fast, and what changed.",
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_eval(commands)
    _add_gate(commands)
    _add_baseline(commands)
    _add_compare(commands)
    _add_files(commands)
    arguments = parser.parse_args(words)
    fill_from_environment(arguments, arguments.variables)
    return arguments


def _add_eval(commands: Commands) -> None:
    command = commands.add_parser("eval", help="measure a daemon and keep a report")
    _add_target(command)
    command.add_argument(
        "--repetitions",
        type=whole,
        help="timed passes after the scored one (EVAL_REPETITIONS, else 5)",
    )
    command.add_argument(
        "--scale",
        type=whole,
        help="filler drawers written beside the data set (EVAL_SCALE, else 0)",
    )
    command.add_argument(
        "--out",
        type=Path,
        help="the report's file (EVAL_OUT, else a new one in reports/)",
    )
    command.add_argument(
        "--json", action="store_true", help="print the report instead of tables"
    )
    command.set_defaults(run=evaluate.run, variables=(DATASET, REPETITIONS, SCALE, OUT))


def _add_gate(commands: Commands) -> None:
    command = commands.add_parser(
        "gate", help="measure quality, and fail on any loss against the baseline"
    )
    _add_target(command)
    _add_judgment(command)
    command.add_argument("--json", action="store_true", help="print JSON instead")
    command.add_argument(
        "--out", type=Path, help="keep the report the verdict is about (EVAL_OUT)"
    )
    command.set_defaults(run=judging.run_gate, variables=(DATASET, THRESHOLD, OUT))


def _add_baseline(commands: Commands) -> None:
    command = commands.add_parser(
        "baseline", help="measure quality and accept it as the new baseline"
    )
    _add_target(command)
    _add_judgment(command)
    command.add_argument(
        "--force",
        action="store_true",
        help="replace the baseline of another data set, or one that covers more",
    )
    command.set_defaults(run=judging.run_baseline, variables=(DATASET, THRESHOLD))


def _add_compare(commands: Commands) -> None:
    command = commands.add_parser(
        "compare", help="compare two reports, worst change first"
    )
    command.add_argument(
        "base", type=Path, help="a report, a baseline, or a report of MemCastle's own"
    )
    command.add_argument("new", type=Path, help="the report to judge against it")
    _add_threshold(command)
    command.add_argument("--json", action="store_true", help="print JSON instead")
    command.set_defaults(run=judging.run_compare, variables=(THRESHOLD,))


def _add_files(commands: Commands) -> None:
    show = commands.add_parser("show", help="print a stored report")
    show.add_argument("report", type=Path)
    faces = show.add_mutually_exclusive_group()
    faces.add_argument("--json", action="store_true", help="the whole file")
    faces.add_argument(
        "--quality",
        action="store_true",
        help="only what must be equal from run to run, as canonical JSON",
    )
    show.set_defaults(run=files.run_show, variables=())

    validate = commands.add_parser("validate", help="check a data set file")
    validate.add_argument("dataset", type=Path)
    validate.set_defaults(run=files.run_validate, variables=())

    schema = commands.add_parser("schema", help="print the report's JSON Schema")
    schema.add_argument(
        "--write", action="store_true", help="write it into docs/ instead"
    )
    schema.set_defaults(run=files.run_schema, variables=())

    server = commands.add_parser(
        "postgres",
        help="run a command beside an embedded Postgres that has pgvector",
        description="The command finds the server in PALACE_TEST_DATABASE_URL.",
    )
    server.add_argument("command", nargs=argparse.REMAINDER)
    server.set_defaults(run=postgres.run, variables=())


def _add_target(command: Parser) -> None:
    command.add_argument(
        "--dataset",
        type=Path,
        help="data set file (EVAL_DATASET, else datasets/core.json)",
    )
    command.add_argument(
        "--build",
        choices=("debug", "release"),
        help="build of the reference daemon (debug)",
    )
    command.add_argument(
        "--runtime",
        choices=("auto", "embedded"),
        default="auto",
        help="how the reference daemon is started (auto)",
    )
    command.add_argument(
        "--port", type=port, help="the daemon's loopback port (any free one)"
    )
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


def _add_judgment(command: Parser) -> None:
    command.add_argument(
        "--baseline",
        type=Path,
        help="the baseline's file (baselines/ and the data set's file name)",
    )
    _add_threshold(command)


def _add_threshold(command: Parser) -> None:
    command.add_argument(
        "--threshold",
        type=threshold,
        help="loss beyond which a metric fails (EVAL_THRESHOLD, else 0.02)",
    )
