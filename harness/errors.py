"""The exception tree, and the exit code each branch ends with.

    HarnessError            70  a fault of ours
    |- UsageError           64  an option or a variable that cannot be used
    |- DatasetError         64  a data set that cannot be measured
    |- ReportFormatError    64  a file that is no report, or a newer one
    |- PrerequisiteError    69  something the machine lacks, which a person can mend
    |- DaemonError          69  the daemon failed us
    |  |- DaemonNotReadyError   it did not come up in time
    |  |- DaemonDiedError       its process ended while we needed it
    |  '- DaemonProtocolError   it answered, but not what the contract says
    |- ProviderError        69  the embedding endpoint failed one request for good
    |- IncomparableError     2  two reports that must not be compared
    |- NothingMeasuredError  2  no number came out
    '- GateFailedError       1  a regression, a broken invariant, a blind data set

Every error has three parts: what went wrong (found against wanted), where, and
what to do. The command line prints them; nothing below it prints or exits.
"""

from enum import IntEnum


class ExitCode(IntEnum):
    """Say how a command ended; the numbers are part of the public surface."""

    PASSED = 0
    GATE_FAILED = 1
    NOTHING_MEASURED = 2
    USAGE = 64
    UNAVAILABLE = 69
    INTERNAL = 70
    INTERRUPTED = 130


class HarnessError(Exception):
    """Carry what went wrong, where, and what to do about it.

    Args:
        what: One sentence: what was found against what was wanted, values by repr.
        where: A file and place in it, a URL, or a daemon; empty where none applies.
        remedy: A command or a setting that mends it; empty where there is none.
    """

    exit_code = ExitCode.INTERNAL

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        self.what = what
        self.where = where
        self.remedy = remedy
        super().__init__(what)

    def __str__(self) -> str:
        first = f"{self.where}: {self.what}" if self.where else self.what
        return f"{first}\n  {self.remedy}" if self.remedy else first


class UsageError(HarnessError):
    """An option, argument or environment variable cannot be used as given."""

    exit_code = ExitCode.USAGE


class DatasetError(HarnessError):
    """A data set cannot be read, or breaks a rule that makes it measurable."""

    exit_code = ExitCode.USAGE


class ReportFormatError(HarnessError):
    """A file is not a report this version can read."""

    exit_code = ExitCode.USAGE


class PrerequisiteError(HarnessError):
    """Something the run needs is not on this machine; a person can put it there."""

    exit_code = ExitCode.UNAVAILABLE


class DaemonError(HarnessError):
    """The daemon failed: it is not a fault of the data set or of the machine."""

    exit_code = ExitCode.UNAVAILABLE


class DaemonNotReadyError(DaemonError):
    """The daemon did not answer its health route in time."""


class DaemonDiedError(DaemonError):
    """The daemon's process, or the Postgres under it, ended while it was needed."""


class DaemonProtocolError(DaemonError):
    """The daemon answered something the contract does not allow."""


class ProviderError(HarnessError):
    """The embedding endpoint failed a request, and trying again did not help.

    Whoever measures many questions may go on with the next one. What no further
    request can mend, a refused key or another dimension, is a `PrerequisiteError`.
    """

    exit_code = ExitCode.UNAVAILABLE


class IncomparableError(HarnessError):
    """Two reports differ in something that makes their numbers incomparable."""

    exit_code = ExitCode.NOTHING_MEASURED


class NothingMeasuredError(HarnessError):
    """A run ended without a single number to report."""

    exit_code = ExitCode.NOTHING_MEASURED


class GateFailedError(HarnessError):
    """A gate failed: a regression, a broken invariant, or a blind data set."""

    exit_code = ExitCode.GATE_FAILED
