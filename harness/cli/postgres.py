"""``harness postgres``: a throw-away server for a command's lifetime."""

import argparse
import os
import subprocess

from harness.errors import UsageError
from harness.runtime.postgres import embedded_postgres
from harness.runtime.signals import unwinding

VARIABLE = "PALACE_TEST_DATABASE_URL"


def run(arguments: argparse.Namespace) -> int:
    """Run a command beside an embedded Postgres and end as the command ended.

    Raises:
        UsageError: There is no command, or it cannot be started.
    """
    command = arguments.command
    if command[:1] == ["--"]:
        command = command[1:]
    if not command:
        raise UsageError(
            "no command was given.", remedy="Try `harness postgres -- psql --version`."
        )
    with unwinding(), embedded_postgres() as url:
        try:
            ended = subprocess.run(
                command, env={**os.environ, VARIABLE: url}, check=False
            )
        except OSError as error:
            raise UsageError(
                f"{command[0]!r} cannot be started: {error.strerror}.",
                remedy="Give a program that is on the PATH, or its whole path.",
            ) from error
    # A shell reports a command that a signal ended as 128 and the signal.
    return ended.returncode if ended.returncode >= 0 else 128 - ended.returncode
