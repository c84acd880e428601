"""`python -m embedder`: run the service, told what to do by EMBEDDER_* variables."""

from __future__ import annotations

import os
import sys

from embedder.errors import StartupError
from embedder.settings import Settings

_USAGE = """usage: python -m embedder

Runs the embedding service. It takes no options; README.md has its variables.
"""


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line says and return the exit code."""
    match sys.argv[1:] if arguments is None else arguments:
        case []:
            return _serve()
        case ["-h" | "--help"]:
            sys.stdout.write(_USAGE)
            return 0
    sys.stderr.write(_USAGE)
    return 64


def _serve() -> int:
    try:
        settings = Settings.from_environment(os.environ)
    except StartupError as problem:
        sys.stderr.write(f"embedder: {problem}\n")
        return 64
    try:
        import harness.dataset.vectors  # noqa: F401, PLC0415  only to see it is there
    except ModuleNotFoundError:
        sys.stderr.write(
            "embedder: the models are missing: PYTHONPATH must name the folder that"
            " holds the package `harness`.\n"
        )
        return 64
    from embedder.server import serve  # noqa: PLC0415  wrong usage should answer at once

    return serve(settings)


if __name__ == "__main__":
    sys.exit(main())
