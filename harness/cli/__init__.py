"""The command line: arguments in, exit code out.

Nothing below this package prints, exits or reads the environment's ``EVAL_*``
variables; everything it does for a person is in here.
"""

import sys
import traceback
from collections.abc import Sequence

from harness.cli.options import parse_arguments
from harness.cli.output import (
    KeptInterrupt,
    cannot_write,
    flush,
    open_missing_streams,
)
from harness.errors import ExitCode, HarnessError

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code that says how it ended.

    Args:
        argv: The words after the program's name; the process's own where missing.
    """
    open_missing_streams()
    try:
        arguments = parse_arguments(sys.argv[1:] if argv is None else list(argv))
        code = arguments.run(arguments)
        flush()
    except HarnessError as error:
        return _refused(error)
    except KeptInterrupt as interruption:
        print(f"Interrupted; the report is {interruption.path}.", file=sys.stderr)
        return int(ExitCode.INTERRUPTED)
    except KeyboardInterrupt:
        print("Interrupted: no report was written.", file=sys.stderr)
        return int(ExitCode.INTERRUPTED)
    except OSError as error:
        # The rooms wrap what files and sockets refuse; what is left is our output.
        return _refused(cannot_write(error))
    except Exception:
        # The last net. Python would end with 1 here, which means that a gate failed.
        traceback.print_exc()
        print("This is a fault of the harness: please report it.", file=sys.stderr)
        return int(ExitCode.INTERNAL)
    return int(code)


def _refused(error: HarnessError) -> int:
    print(f"{type(error).__name__}: {error}", file=sys.stderr)
    return int(error.exit_code)
