"""What is asked of `distributed`, in words of our own: it has no types."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol


class Future(Protocol):
    """What becomes of a task."""

    @property
    def status(self) -> str:
        """``pending``, ``finished``, ``error``, ``cancelled`` or ``lost``."""

    def result(self, timeout: float) -> bytes:
        """Return what a finished task returned."""

    def exception(self, timeout: float) -> BaseException:
        """Return what a failed task raised."""


class Client(Protocol):
    """What is asked of a client of `distributed`."""

    def nthreads(self) -> Mapping[str, int]:
        """Tell which workers there are, by address."""

    def submit(
        self,
        func: Callable[..., bytes],
        *args: object,
        workers: Sequence[str],
        pure: bool,
        key: str,
    ) -> Future:
        """Have a worker call a function."""

    def cancel(self, futures: Sequence[Future], *, force: bool) -> None:
        """Tell the scheduler that nobody waits for these any more."""

    def subscribe_topic(
        self, topic: str, handler: Callable[[tuple[float, object]], None]
    ) -> None:
        """Be told what workers log under a topic, in another thread."""
