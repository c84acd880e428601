"""The words about embedding; whom to ask is in the environment alone."""

from pathlib import Path

from harness.cli.shared import Parser
from harness.cli.target import ROOT
from harness.cli.values import positive
from harness.provider.options import MODEL_TOKENS

CACHE = ROOT / ".cache" / "embeddings"
"""Where vectors are kept, so that a run that goes on does not pay for them again."""


def add_embedding(command: Parser) -> None:
    """Add what is chosen about embedding; whom to ask is in the environment."""
    command.add_argument(
        "--model-tokens",
        type=positive,
        default=MODEL_TOKENS,
        metavar="N",
        help="most tokens of a text that the model reads, by the harness's estimate"
        f" ({MODEL_TOKENS}); EVAL_EMBEDDINGS_URL and _MODEL name"
        " the model",
    )
    command.add_argument(
        "--oversize",
        choices=("chunk", "truncate"),
        default="chunk",
        help="longer texts: in fragments, the best of which counts (chunk), or their"
        " beginning alone (truncate)",
    )
    add_embedding_cache(command)


def add_embedding_cache(command: Parser) -> None:
    """Add where vectors are kept."""
    command.add_argument(
        "--embedding-cache",
        type=Path,
        default=CACHE,
        metavar="DIR",
        help="folder in which vectors are kept (.cache/embeddings)",
    )
