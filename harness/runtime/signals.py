"""Make a polite request to end unwind the stack, as Ctrl-C does, and do so once.

Python ends at once on SIGTERM and SIGHUP: no ``finally`` runs, so the daemon is not
drained and the run's folder stays until the next start. And an impatient second
Ctrl-C would break the clearing up that the first one set off.
"""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

UNWINDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

IMPATIENCE_S = 3.0
"""A Ctrl-C this soon after another request to end asks for nothing new; a later one
may break a clearing up that hangs."""


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

    Only the first request to end counts, Ctrl-C too: whoever repeats it must not break
    the clearing up that the first one set off. Ignored signals (``nohup``) stay
    ignored. Outside the main thread, where Python takes no signals, it does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    last_s: float | None = None

    def end(number: int, _frame: FrameType | None) -> None:
        nonlocal last_s
        now_s = time.monotonic()
        is_interrupt = number == signal.SIGINT
        is_fresh = last_s is None or (is_interrupt and now_s - last_s > IMPATIENCE_S)
        if is_fresh:
            last_s = now_s
            if is_interrupt:
                raise KeyboardInterrupt
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


@contextmanager
def undisturbed() -> Iterator[None]:
    """Put off every request to end until the block is through; keep it short."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    late: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _frame: late.append(number))
        for number in UNWINDING
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if late:
        signal.raise_signal(signal.Signals(late[0]))
