"""An event loop in a thread of its own, which can be left at any moment."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    """Run coroutines beside the caller until it is stopped.

    Args:
        last: Awaited on the loop at the very end, when nothing else runs.
    """

    def __init__(self, last: Callable[[], Awaitable[None]]) -> None:
        self._last = last
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(_pass_over_the_unclaimed)
        self._end = asyncio.Event()
        # A daemon thread, so that not even a fault of ours keeps a process alive.
        self._thread = threading.Thread(
            target=self._run, name="embeddings", daemon=True
        )
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Begin *work* and return its future; cancelling that breaks it off."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def stop(self) -> None:
        """Break off whatever runs, and end; a second time does nothing."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._until_the_end())

    async def _until_the_end(self) -> None:
        await self._end.wait()
        mine = asyncio.current_task()
        others = [task for task in asyncio.all_tasks() if task is not mine]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._last()


def _pass_over_the_unclaimed(
    loop: asyncio.AbstractEventLoop, context: dict[str, Any]
) -> None:
    """Keep silent on work that failed in the very moment it was called off.

    Whoever wanted it has an error already; printed here, it would be a traceback
    behind the one sentence that says what to do.
    """
    if "never retrieved" not in str(context.get("message")):
        loop.default_exception_handler(context)
