"""Leave nothing of a session in the engine, however the run ends."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import docker

from harness.errors import HarnessError
from harness.runtime.container.reaper import Reaper
from harness.runtime.container.session import Session
from harness.runtime.container.sweep import sweep_session
from harness.runtime.engine import Engine, engine_faults

log = logging.getLogger(__name__)


@contextmanager
def cleared(
    engine: Engine, client: docker.DockerClient, session: Session
) -> Iterator[None]:
    """Remove everything of *session* when the block ends.

    Found by its labels, not remembered: what the engine was still making when the
    block was interrupted has no name here yet. While the block runs, a process of its
    own waits to do the same should we be killed.

    Raises:
        PrerequisiteError: Something does not go away, after a block that went well.
    """
    reaper = Reaper(engine.endpoint, session.id)
    went_well = False
    try:
        yield
        went_well = True
    finally:
        try:
            with engine_faults(engine.endpoint, "removing what was started"):
                sweep_session(client, session.id, until_quiet=not went_well)
        except HarnessError as problem:
            reaper.release()
            if went_well:
                raise
            # What went wrong first is what a person must read.
            log.warning("clearing up failed: %s", problem)
        except BaseException:
            # Interrupted in the middle of it: the other process finishes the work.
            reaper.release()
            raise
        else:
            reaper.dismiss()
