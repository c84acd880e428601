"""The words about embedding; whom to ask is in the environment alone."""

from pathlib import Path

from harness.cli.shared import Parser
from harness.cli.target import ROOT

CACHE = ROOT / ".cache" / "embeddings"
"""Where vectors are kept, so that a run that goes on does not pay for them again."""


def add_embedding(command: Parser) -> None:
    """Add what is chosen about embedding; whom to ask is in the environment."""
    command.add_argument(
        "--oversize",
        choices=("chunk", "truncate"),
        default="chunk",
        help="texts too long for the model: fragments, the best of which counts"
        " (chunk), or their beginning; EVAL_EMBEDDINGS_URL and _MODEL name the model",
    )
    command.add_argument(
        "--embedding-cache",
        type=Path,
        default=CACHE,
        metavar="DIR",
        help="folder in which vectors are kept (.cache/embeddings)",
    )
