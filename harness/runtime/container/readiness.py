"""Wait until the daemon answers, and stop waiting once it cannot any more.

Testcontainers' own strategies look once a second, and go on looking at a container that
has ended. This one looks every few milliseconds, at both containers: the daemon waits
for its Postgres by itself, so the two come up side by side.
"""

import time

from harness.errors import DaemonDiedError, DaemonNotReadyError, PrerequisiteError
from harness.runtime.container.box import Box
from harness.runtime.probe import is_healthy

LIMIT_S = 60.0
POLL_S = 0.02

PROBE_LIMIT_S = 0.5
"""A daemon that listens before it is ready takes the question and answers later."""


def await_daemon(
    daemon: Box, postgres: Box, url: str, *, limit_s: float = LIMIT_S
) -> None:
    """Wait until the daemon at *url* answers its health route.

    Raises:
        PrerequisiteError: Postgres ended before; its last lines are in the message.
        DaemonDiedError: The daemon ended before, likewise.
        DaemonNotReadyError: It did not answer in time.
    """
    give_up = time.monotonic() + limit_s
    while time.monotonic() < give_up:
        if is_healthy(url, timeout_s=PROBE_LIMIT_S):
            return
        # Postgres first: a daemon without it ends as well, and is not to blame.
        ending = postgres.ending()
        if ending is not None:
            raise PrerequisiteError(
                _ended(postgres, ending),
                remedy="Is the machine short of memory? Its last lines say more.",
            )
        ending = daemon.ending()
        if ending is not None:
            raise DaemonDiedError(
                _ended(daemon, ending),
                remedy="The fault is the daemon's; look at its last lines.",
            )
        time.sleep(POLL_S)
    raise DaemonNotReadyError(
        f"{daemon.title} did not answer GET /api/health within {limit_s:.0f} s."
        f" Its last lines:\n{daemon.last_lines()}",
        where=url,
        remedy="The fault is the daemon's; look at its last lines.",
    )


def _ended(box: Box, ending: str) -> str:
    return (
        f"{box.title} ended before it was ready ({ending}). Its last lines:\n"
        f"{box.last_lines()}"
    )
