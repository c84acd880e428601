"""The words of ``harness ab``."""

import argparse
from importlib import import_module
from pathlib import Path

from harness.cli.shared import (
    DATASET,
    OUT,
    SCALE,
    THRESHOLD,
    Commands,
    add_dataset,
    add_json,
    add_postgres,
    add_repetitions,
    add_scale,
    add_starting,
    add_threshold,
)
from harness.cli.values import Variable, threshold, whole
from harness.errors import ExitCode
from harness.judge.ab.latency import DEFAULT_BUDGET
from harness.judge.statistics.policy import OUTCOMES

REPETITIONS = Variable("repetitions", "EVAL_REPETITIONS", whole, 10)

DESCRIPTION = """\
Both sides run at once, each with a Postgres of its own, and get the same data and the
same queries in turn, one request at a time, swapping who is first. Relevance and speed
are judged on the same answers. First the base is held against a second instance of
itself: what they differ by is this machine's floor. What is slower or faster must
clear it, and recur in a second round with fresh processes.

A side is a build (debug, release), a palace image of images/images.toml by name or
locked digest, or the address of a running daemon. Latencies that were stored, of
another run, host or build, are never judged: measure both sides here.
"""


def add_ab(commands: Commands) -> None:
    """Add ``harness ab``."""
    command = commands.add_parser(
        "ab",
        help="measure two daemons side by side: what each finds, and how fast",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for role in ("base", "candidate"):
        command.add_argument(role, metavar=role.upper(), help=f"the {role}, see above")
    for role in ("base", "candidate"):
        command.add_argument(
            f"--{role}-setting",
            action="append",
            default=[],
            metavar="PALACE_NAME=VALUE",
            help=f"tell the {role} so, no secrets; may be repeated",
        )
        command.add_argument(
            f"--{role}-token-file",
            type=Path,
            metavar="FILE",
            help=f"bearer token of a {role} that runs already (else HARNESS_TOKEN)",
        )
    add_dataset(command)
    add_postgres(command)
    add_starting(command)
    command.add_argument(
        "--allow-nonempty",
        action="store_true",
        help="measure a running daemon that already holds drawers",
    )
    add_repetitions(command)
    add_scale(command)
    add_threshold(command)
    command.add_argument(
        "--latency-budget",
        type=threshold,
        default=DEFAULT_BUDGET,
        metavar="SHARE",
        help=f"share by which times may grow ({DEFAULT_BUDGET:g})",
    )
    command.add_argument(
        "--inconclusive",
        choices=OUTCOMES,
        default="pass",
        help="what becomes of a loss that is neither shown nor ruled out (pass)",
    )
    command.add_argument(
        "--out",
        type=Path,
        help="the result's file (EVAL_OUT, else a new one in reports/); the reports of"
        " both sides go beside it",
    )
    add_json(command, "print the result instead of tables")
    command.set_defaults(
        run=_run, variables=(DATASET, REPETITIONS, SCALE, THRESHOLD, OUT)
    )


def _run(arguments: argparse.Namespace) -> ExitCode:
    """Load the command when it runs: two daemons take longer than any import."""
    code: ExitCode = import_module("harness.cli.ab").run(arguments)
    return code
