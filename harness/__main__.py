"""Run the command line as ``python -m harness``."""

import sys

try:
    from harness.cli import main
except KeyboardInterrupt:
    # Half a second of imports is long enough to be interrupted in.
    sys.exit(130)

sys.exit(main())
