"""`python -m palace`: run the daemon, or print its OpenAPI document."""

from __future__ import annotations

import os
import sys

from palace.errors import StartupError
from palace.settings import Settings

_USAGE = """usage: python -m palace [serve | openapi]

  serve    run the daemon, told what to do by PALACE_* variables (the default)
  openapi  print the OpenAPI document as JSON
"""


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line says and return the exit code."""
    match sys.argv[1:] if arguments is None else arguments:
        case [] | ["serve"]:
            return _serve()
        case ["openapi"]:
            return _openapi()
        case ["-h" | "--help"]:
            sys.stdout.write(_USAGE)
            return 0
    sys.stderr.write(_USAGE)
    return 64


def _serve() -> int:
    try:
        settings = Settings.from_environment(os.environ)
    except StartupError as problem:
        sys.stderr.write(f"palace: {problem}\n")
        return 64
    from palace.server import serve  # noqa: PLC0415  wrong usage should answer at once

    return serve(settings)


def _openapi() -> int:
    import json  # noqa: PLC0415

    from palace.app import create_app, describe  # noqa: PLC0415

    document = describe(create_app(Settings(database_url="")))
    sys.stdout.write(json.dumps(document, indent=2, sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
