"""The words of the commands for other people's formats."""

import argparse
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from harness.cli.shared import Commands, Parser, add_json
from harness.cli.values import positive
from harness.errors import ExitCode

CUTOFFS = (1, 3, 5, 10)
"""Where a run is cut when nobody says: as in our own reports."""


def add_exchange(commands: Commands) -> None:
    """Add ``harness import``, ``export`` and ``score``."""
    _add_import(commands)
    _add_export(commands)
    _add_score(commands)


def _add_import(commands: Commands) -> None:
    command = commands.add_parser(
        "import", help="make a data set of a collection in another format"
    )
    kinds = command.add_subparsers(required=True, metavar="FORMAT")
    beir = kinds.add_parser("beir", help="a folder in BEIR's layout")
    beir.add_argument("folder", type=Path, metavar="DIR")
    beir.add_argument(
        "--split", default="test", help="whose judgments: qrels/SPLIT.tsv (test)"
    )
    _add_result(beir, "the folder's")
    beir.set_defaults(run=_run("import_beir"), variables=())
    trec = kinds.add_parser("trec", help="TREC topics and judgments, and a corpus")
    for name, text in (
        ("--topics", "<top> elements, JSON lines, or an id, a tab and a text"),
        ("--qrels", "judgments, in TREC's four columns or BEIR's three"),
        ("--corpus", "JSON lines with _id, text and perhaps title"),
    ):
        trec.add_argument(name, type=Path, required=True, metavar="FILE", help=text)
    _add_result(trec, "the judgments'")
    trec.set_defaults(run=_run("import_trec"), variables=())


def _add_result(command: Parser, whose: str) -> None:
    command.add_argument(
        "--grades",
        default="keep",
        metavar="RULE",
        help="grades made of scores: keep (the score itself), binary (2 for any above"
        " 0), or a table such as 0=0,1=1,2=2,3=2 (keep)",
    )
    command.add_argument("--name", help=f"what the data set is called ({whose} name)")
    command.add_argument(
        "--out", type=Path, help="the data set's file (a new one, NAME.json, here)"
    )


def _add_export(commands: Commands) -> None:
    command = commands.add_parser("export", help="write a report in another format")
    kinds = command.add_subparsers(required=True, metavar="FORMAT")
    trec = kinds.add_parser(
        "trec", help="judgments and rankings, as trec_eval reads them"
    )
    trec.add_argument("report", type=Path)
    trec.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder for the files (beside the report, its name with -trec)",
    )
    trec.set_defaults(run=_run("export_trec"), variables=())


def _add_score(commands: Commands) -> None:
    command = commands.add_parser(
        "score", help="score the run of another system with the metrics of this one"
    )
    command.add_argument(
        "--qrels",
        type=Path,
        required=True,
        metavar="FILE",
        help="judgments, in TREC's four columns or BEIR's three",
    )
    command.add_argument(
        "--run",
        type=Path,
        required=True,
        dest="ranked",
        metavar="FILE",
        help="a TREC run; its scores are its order",
    )
    command.add_argument(
        "--cutoff",
        type=positive,
        action="append",
        metavar="K",
        help="last rank that counts; may be given again (1, 3, 5 and 10)",
    )
    add_json(command, "print JSON, with the metrics of each query, instead of a table")
    command.set_defaults(run=_run("run", "score"), variables=())


def _run(
    name: str, module: str = "exchange"
) -> Callable[[argparse.Namespace], ExitCode]:
    """Return what calls a command's function, loaded when it runs and not before."""

    def run(arguments: argparse.Namespace) -> ExitCode:
        command = getattr(import_module(f"harness.cli.{module}"), name)
        code: ExitCode = command(arguments)
        return code

    return run
