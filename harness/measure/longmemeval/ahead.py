"""Do the work for the next questions while the daemon has the one at hand."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from queue import Empty, Full, Queue
from typing import Generic, TypeVar

T = TypeVar("T")

READY = 2
"""Finished items that wait: enough for a daemon not to, few enough to be small."""
POLL_S = 0.05
LEAVE_S = 5.0
"""How long an interrupted run waits for its thread, which may be in a request."""


@dataclass(frozen=True, slots=True)
class _Over:
    """The end of the items, and what ended them."""

    error: BaseException | None = None


class _Ahead(Generic[T]):
    def __init__(self, items: Callable[[], Iterator[T]], ready: int) -> None:
        self._items = items
        self._queue: Queue[T | _Over] = Queue(ready)
        self._stop = threading.Event()
        self.thread = threading.Thread(target=self._work, daemon=True)

    def _work(self) -> None:
        try:
            for item in self._items():
                if not self._put(item):
                    return
        except BaseException as error:
            self._put(_Over(error))
        else:
            self._put(_Over())

    def _put(self, item: T | _Over) -> bool:
        while not self._stop.is_set():
            try:
                self._queue.put(item, timeout=POLL_S)
            except Full:
                continue
            return True
        return False

    def taken(self) -> Iterator[T]:
        while True:
            item = self._queue.get()
            if isinstance(item, _Over):
                if item.error is not None:
                    raise item.error
                return
            yield item
            # What was sent may be large; the next one must not wait beside it.
            del item

    def leave(self) -> None:
        self._stop.set()
        try:
            while True:
                self._queue.get_nowait()
        except Empty:
            self.thread.join(LEAVE_S)


@contextmanager
def ahead(
    items: Callable[[], Iterator[T]], ready: int = READY
) -> Iterator[Iterator[T]]:
    """Run an iterator in a thread of its own; what it raises is raised to the taker.

    Args:
        items: Makes the iterator, in the thread.
        ready: How many finished items may wait to be taken.

    Yields:
        The same items in the same order.
    """
    made = _Ahead(items, ready)
    made.thread.start()
    try:
        yield made.taken()
    finally:
        made.leave()
