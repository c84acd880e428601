"""Waiting for what another process or thread does, with an end to it."""

import time
from collections.abc import Callable

LIMIT_S = 10.0
POLL_S = 0.001


def wait_until(met: Callable[[], bool]) -> None:
    """Return as soon as *met* is true; fail where it never is."""
    give_up = time.monotonic() + LIMIT_S
    while not met():
        assert time.monotonic() < give_up, "it never came to be"
        time.sleep(POLL_S)


def keep_calling(action: Callable[[], object]) -> None:
    """Call *action* until it raises, as it must soon; fail where it never does."""
    give_up = time.monotonic() + LIMIT_S
    while time.monotonic() < give_up:
        action()
        time.sleep(POLL_S)
    raise AssertionError("it went on as if nothing had happened")
