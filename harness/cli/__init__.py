"""The command line: arguments in, exit code out.

Nothing below this package prints, exits or reads the environment's ``EVAL_*``
variables; everything it does for a person is in here.
"""

import contextlib
import os
import sys
from collections.abc import Sequence

from harness.cli.options import parse_arguments
from harness.errors import ExitCode, HarnessError

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code DESIGN fixes for how it ended.

    Args:
        argv: The words after the program's name; the process's own where missing.
    """
    try:
        arguments = parse_arguments(sys.argv[1:] if argv is None else list(argv))
        code = arguments.run(arguments)
        sys.stdout.flush()
    except HarnessError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return int(error.exit_code)
    except KeyboardInterrupt:
        print("Interrupted: no report was written.", file=sys.stderr)
        return int(ExitCode.INTERRUPTED)
    except BrokenPipeError:
        # The reader went away (`| head`): nothing is left to say, and the
        # interpreter must not try to flush into the closed pipe at exit.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return int(ExitCode.PASSED)
    return int(code)
