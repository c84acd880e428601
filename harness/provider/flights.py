"""Texts that are on their way, so that no two calls pay for the same one.

The cache has what came back. A text that several questions have is often asked for
again before that: whoever comes second waits for the first one's answer.
"""

import asyncio
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")

Under = Mapping[bytes, asyncio.Future[T | None]]


class Flights(Generic[T]):
    """What calls of one event loop have asked for and not received yet.

    Texts go by their SHA-256.
    """

    def __init__(self) -> None:
        self._under_way: dict[bytes, asyncio.Future[T | None]] = {}

    def of_others(self, texts: Iterable[bytes]) -> Under[T]:
        """Pick those of *texts* that are under way."""
        return {
            text: self._under_way[text] for text in texts if text in self._under_way
        }

    @contextmanager
    def taken(self, texts: Collection[bytes]) -> Iterator[None]:
        """Let others wait for *texts*, of which none is under way, during the block.

        What has not landed at its end never will, and they are told.
        """
        loop = asyncio.get_running_loop()
        ours = {text: loop.create_future() for text in texts}
        self._under_way |= ours
        try:
            yield
        finally:
            for text, flight in ours.items():
                del self._under_way[text]
                if not flight.done():
                    flight.set_result(None)

    def land(self, text: bytes, outcome: T) -> None:
        """Hand the outcome to whoever waits for *text*."""
        flight = self._under_way.get(text)
        if flight is not None and not flight.done():
            flight.set_result(outcome)

    async def landed(self, under_way: Under[T]) -> dict[bytes, T]:
        """Wait for what others took; what is missing then did not come."""
        if under_way:
            # Not awaited themselves: to break off this call would break off theirs.
            await asyncio.wait(under_way.values())
        outcomes = {text: flight.result() for text, flight in under_way.items()}
        return {text: each for text, each in outcomes.items() if each is not None}
