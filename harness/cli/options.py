"""The words of the command line. An option wins over its ``EVAL_*`` variable."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from harness import __version__
from harness.cli import evaluate, files, judging, postgres
from harness.cli.ab_options import add_ab
from harness.cli.container_options import (
    add_images,
    add_matrix,
    add_reproduce,
    add_sweep,
)
from harness.cli.exchange_options import add_exchange
from harness.cli.faces_options import add_faces, add_history, add_printed
from harness.cli.longmemeval_options import add_longmemeval
from harness.cli.recall_options import add_recall, add_registry
from harness.cli.shared import (
    DATASET,
    OUT,
    REPETITIONS,
    SCALE,
    THRESHOLD,
    Commands,
    Parser,
    add_json,
    add_judgment,
    add_repetitions,
    add_scale,
    add_target,
    add_threshold,
)
from harness.cli.values import fill_from_environment
from harness.judge.statistics.policy import OUTCOMES, POLICIES


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
    add_ab(commands)
    add_recall(commands)
    add_registry(commands)
    add_longmemeval(commands)
    add_matrix(commands)
    add_reproduce(commands)
    _add_files(commands)
    add_history(commands)
    add_exchange(commands)
    add_images(commands)
    add_sweep(commands)
    arguments = parser.parse_args(words)
    fill_from_environment(arguments, arguments.variables)
    return arguments


def _add_eval(commands: Commands) -> None:
    command = commands.add_parser("eval", help="measure a daemon and keep a report")
    add_target(command)
    add_repetitions(command)
    add_scale(command)
    command.add_argument(
        "--out",
        type=Path,
        help="the report's file (EVAL_OUT, else a new one in reports/)",
    )
    add_json(command, "print the report instead of tables")
    command.set_defaults(run=evaluate.run, variables=(DATASET, REPETITIONS, SCALE, OUT))


def _add_gate(commands: Commands) -> None:
    command = commands.add_parser(
        "gate", help="measure quality, and fail on any loss against the baseline"
    )
    add_target(command)
    add_judgment(command)
    add_printed(command)
    add_faces(command)
    command.add_argument(
        "--out", type=Path, help="keep the report the verdict is about (EVAL_OUT)"
    )
    command.set_defaults(run=judging.run_gate, variables=(DATASET, THRESHOLD, OUT))


def _add_baseline(commands: Commands) -> None:
    command = commands.add_parser(
        "baseline", help="measure quality and accept it as the new baseline"
    )
    add_target(command)
    add_judgment(command)
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
    add_threshold(command)
    command.add_argument(
        "--policy",
        choices=POLICIES,
        default="floor",
        help="what fails: any loss beyond the threshold, a loss that is shown, or"
        " both (floor)",
    )
    command.add_argument(
        "--inconclusive",
        choices=OUTCOMES,
        help="with --policy both: what becomes of a loss beyond the threshold that is"
        " not shown (fail)",
    )
    add_printed(command)
    add_faces(command)
    command.set_defaults(run=judging.run_compare, variables=(THRESHOLD,))


def _add_files(commands: Commands) -> None:
    show = commands.add_parser("show", help="print a stored report")
    show.add_argument(
        "report", type=Path, nargs="+", help="with --html more than one: sizes of it"
    )
    add_faces(show)
    faces = show.add_mutually_exclusive_group()
    faces.add_argument("--json", action="store_true", help="the whole file")
    faces.add_argument(
        "--markdown",
        action="store_true",
        help="Markdown for a pull request or a job summary",
    )
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
