"""The words of ``harness longmemeval``."""

import argparse
from importlib import import_module
from pathlib import Path

from harness.cli.embedding_options import add_embedding
from harness.cli.shared import (
    OUT,
    Commands,
    Parser,
    add_daemon,
    add_json,
)
from harness.cli.values import Variable, positive
from harness.errors import ExitCode

ENVIRONMENT = (
    "Without EVAL_EMBEDDINGS_URL and EVAL_EMBEDDINGS_MODEL, lexical search is measured"
    " alone. They name an OpenAI-compatible endpoint and its model;"
    " EVAL_EMBEDDINGS_API_KEY, or _API_KEY_FILE, is its key, and"
    " EVAL_EMBEDDINGS_DIMENSION asks for shorter vectors. docs/longmemeval.md says what"
    " the numbers mean."
)
LIMIT = Variable("limit", "EVAL_LONGMEMEVAL_LIMIT", positive, None)


def add_longmemeval(commands: Commands) -> None:
    """Add ``harness longmemeval``."""
    command = commands.add_parser(
        "longmemeval",
        help="measure retrieval of the session that holds the answer",
        description="Measure whether search finds the session that holds the answer to"
        " a question, in a LongMemEval or LoCoMo file that you have downloaded.",
        epilog=ENVIRONMENT,
    )
    command.add_argument(
        "path", type=Path, metavar="PATH", help="the data file, of either layout"
    )
    command.add_argument(
        "--limit",
        type=positive,
        metavar="N",
        help="the first N questions only (EVAL_LONGMEMEVAL_LIMIT)",
    )
    _add_policies(command)
    command.add_argument(
        "--isolation",
        choices=("wing", "isolated", "shared"),
        default="wing",
        help="a wing for each question, kept (wing); deleted before the next one's"
        " (isolated); one wing for all (shared)",
    )
    command.add_argument(
        "--oracle",
        action="store_true",
        help="measure a file in which every session is evidence; marked trivial",
    )
    command.add_argument(
        "--errata",
        type=Path,
        metavar="FILE",
        help="list of doubted questions: corrected figures beside the raw ones",
    )
    add_daemon(command, build="release")
    add_embedding(command)
    _add_workers(command)
    _add_files(command)
    command.set_defaults(run=_run, variables=(LIMIT, OUT))


def _add_policies(command: Parser) -> None:
    command.add_argument(
        "--text",
        choices=("full", "user"),
        default="full",
        help="what is written: both sides' turns (full), or the user's",
    )
    command.add_argument(
        "--gold",
        choices=("answer_session_ids", "any_turn", "user_turn"),
        default="answer_session_ids",
        help="what is relevant: the sessions listed as evidence (answer_session_ids),"
        " or those with a labelled turn of anybody or of the user",
    )
    command.add_argument(
        "--granularity",
        choices=("session", "turn"),
        default="session",
        help="what one document is (session)",
    )
    command.add_argument(
        "--abstention",
        choices=("exclude", "include"),
        default="exclude",
        help="questions that nothing answers: out of the headline (exclude), or in",
    )


def _add_workers(command: Parser) -> None:
    command.add_argument(
        "--workers",
        type=positive,
        metavar="N",
        help="spread the questions over N daemons (1; all workers of a --scheduler)",
    )
    command.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="run the workers on the Dask cluster of this scheduler, which must see"
        " the file under the same path",
    )


def _add_files(command: Parser) -> None:
    command.add_argument(
        "--out",
        type=Path,
        help="the report's file (EVAL_OUT, else a new one in reports/)",
    )
    command.add_argument(
        "--journal",
        type=Path,
        metavar="FILE",
        help="where outcomes are kept while it runs; a killed run goes on from it"
        " (beside the report)",
    )
    command.add_argument(
        "--dry-run",
        action="store_true",
        help="count questions, texts and the tokens that a model would be sent; start"
        " nothing, send nothing",
    )
    add_json(command, "print the report instead of tables")


def _run(arguments: argparse.Namespace) -> ExitCode:
    # Loaded when it runs, like the other commands that few people need.
    code: ExitCode = import_module("harness.cli.longmemeval").run(arguments)
    return code
