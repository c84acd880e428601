"""Wait until daemon and embedder answer, and stop waiting once they cannot any more.

Testcontainers' own strategies look once a second, and go on looking at a container that
has ended. These look every few milliseconds, at all of them: the daemon waits for its
Postgres by itself, so they come up side by side.
"""

import time

from harness.errors import DaemonDiedError, DaemonNotReadyError, PrerequisiteError
from harness.runtime.container.box import Box
from harness.runtime.embedder import HEALTH, LAST_LINES_SAY, serves
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
                postgres.ended_early(ending),
                remedy="Is the machine short of memory? Its last lines say more.",
            )
        ending = daemon.ending()
        if ending is not None:
            raise DaemonDiedError(
                daemon.ended_early(ending),
                remedy="The fault is the daemon's; look at its last lines.",
            )
        time.sleep(POLL_S)
    raise DaemonNotReadyError(
        f"{daemon.title} did not answer GET /api/health within {limit_s:.0f} s."
        f" Its last lines:\n{daemon.last_lines()}",
        where=url,
        remedy="The fault is the daemon's; look at its last lines.",
    )


def await_embedder(
    embedder: Box, control_url: str, *, limit_s: float = LIMIT_S
) -> None:
    """Wait until the embedder with that control address answers its health route.

    Raises:
        DaemonDiedError: It ended before; its last lines are in the message.
        DaemonNotReadyError: It did not answer in time.
    """
    give_up = time.monotonic() + limit_s
    while time.monotonic() < give_up:
        if serves(control_url):
            return
        ending = embedder.ending()
        if ending is not None:
            raise DaemonDiedError(embedder.ended_early(ending), remedy=LAST_LINES_SAY)
        time.sleep(POLL_S)
    raise DaemonNotReadyError(
        f"{embedder.title} did not answer GET {HEALTH} within {limit_s:.0f} s."
        f" Its last lines:\n{embedder.last_lines()}",
        where=control_url,
        remedy=LAST_LINES_SAY,
    )
