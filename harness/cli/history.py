"""``harness history``: what kept reports say of the commits they were made from."""

import argparse

from harness.cli.output import refuse_unwritable
from harness.cli.progress import warn
from harness.errors import ExitCode
from harness.judge.faces.history import history_page
from harness.judge.history import read_history
from harness.judge.history_terminal import print_history
from harness.report.files import write_whole


def run(arguments: argparse.Namespace) -> ExitCode:
    """Print a table of every line of comparable reports, and draw them."""
    refuse_unwritable(arguments.html)
    found = read_history(arguments.folder)
    for reason in found.left_out:
        warn(f"Left out: {reason}")
    print_history(found)
    if arguments.html is not None:
        write_whole(arguments.html, history_page(found))
        print(f"page            {arguments.html}")
    return ExitCode.PASSED
