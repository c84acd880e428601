"""What a worker's process runs: ``python -m harness.cli.shard JOB ENDING``.

Nobody types this. Its parent reads the journal that it writes, and how it ended.
"""

import os
import pickle
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.cli.progress import notify
from harness.errors import ExitCode, HarnessError, UsageError
from harness.measure.longmemeval.crew import Ending
from harness.measure.longmemeval.embedder import Embedder
from harness.measure.longmemeval.run import Machinery
from harness.measure.longmemeval.shards import Job, Spread
from harness.measure.progress import SilentProgress
from harness.provider.credentials import URL, read_endpoint
from harness.provider.embedder import EndpointEmbedder
from harness.runtime.choice import choose
from harness.runtime.signals import Terminated, unwinding


def main(order: Path, ending: Path) -> int:
    """Do one job, and leave word of how it ended.

    Args:
        order: Holds the pickled job, written by our parent.
        ending: Where to leave word; what is not of our errors ends in the log.
    """
    warnings: list[str] = []
    try:
        with unwinding():
            # Only what our parent wrote into a folder that is closed to others.
            job: Job = pickle.loads(order.read_bytes())
            _run(job, warnings)
    except HarnessError as error:
        Ending(error, tuple(warnings)).write(ending)
        return int(error.exit_code)
    except Terminated as error:
        return error.exit_code
    except KeyboardInterrupt:
        return int(ExitCode.INTERRUPTED)
    Ending(None, tuple(warnings)).write(ending)
    return int(ExitCode.PASSED)


def _run(job: Job, warnings: list[str]) -> None:
    spread = job.shard.spread
    with _embedder(spread) as embedder:
        job.run(
            Machinery(
                # Whatever is said of it, the parent has said already.
                runtime=choose(spread.wish, notify=notify, warn=notify),
                progress=SilentProgress(),
                embedder=embedder,
                workers=spread.workers,
                warn=warnings.append,
            )
        )


@contextmanager
def _embedder(spread: Spread) -> Iterator[Embedder | None]:
    if spread.plan.model is None:
        yield None
        return
    endpoint = read_endpoint(os.environ)
    if endpoint is None:
        raise UsageError(
            f"the plan is of the model {spread.plan.model.name!r}, and {URL} is not "
            "set where the worker runs.",
            remedy="Set the EVAL_EMBEDDINGS_... variables for every worker.",
        )
    with EndpointEmbedder(endpoint, spread.embedding, cache=spread.cache) as embedder:
        yield embedder


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
