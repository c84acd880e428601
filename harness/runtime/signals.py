"""Make a polite request to end unwind the stack, as Ctrl-C does.

Python ends at once on SIGTERM and SIGHUP: no ``finally`` runs, so the daemon is not
drained and the run's folder stays until the next start.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

UNWINDING = (signal.SIGTERM, signal.SIGHUP)


class Terminated(KeyboardInterrupt):
    """A signal asked us to end; caught wherever Ctrl-C is.

    Args:
        number: The signal.
    """

    def __init__(self, number: signal.Signals) -> None:
        self.number = number
        super().__init__(number.name)

    @property
    def exit_code(self) -> int:
        """What a shell reports of a process that died of the signal: 143 for TERM."""
        return 128 + self.number


@contextmanager
def unwinding() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into `Terminated` while the block runs.

    Only the first one counts: whoever repeats it must not break the clearing up that
    the first one set off. Ignored signals (``nohup``) stay ignored. Outside the main
    thread, where Python takes no signals, it does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    already = False

    def end(number: int, _frame: FrameType | None) -> None:
        nonlocal already
        if not already:
            already = True
            raise Terminated(signal.Signals(number))

    before = {
        number: signal.signal(number, end)
        for number in UNWINDING
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
