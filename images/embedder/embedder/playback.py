"""Answers of a real service: kept as they come, and given again without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from embedder.errors import Refused
from embedder.recording import Recording, digest
from embedder.sources import Mode, unknown_model
from embedder.wire import Wanted


class Asks(Protocol):
    """A service that knows the vectors of any text."""

    async def embed(self, wanted: Wanted) -> NDArray[np.float32]:
        """Return one row a text, in order, all finite, or raise `Refused`."""

    async def close(self) -> None:
        """Close the connections."""


class Recorder:
    """Answer from a recording, and ask the service for what is not in it yet.

    Args:
        recording: Opened to grow.
        upstream: The service.
    """

    mode: Mode = "record"

    def __init__(self, recording: Recording, upstream: Asks) -> None:
        self._recording = recording
        self._upstream = upstream

    def models(self) -> list[str]:
        """Return the names of the models recorded so far."""
        return self._recording.models()

    async def vectors(self, wanted: Wanted) -> NDArray[np.float32]:
        """Return one row a text, in order, as a replay will.

        Raises:
            Refused: The service failed, which is passed on and not recorded.
        """
        missing = self._recording.missing(wanted)
        if missing:
            answer = await self._upstream.embed(wanted._replace(texts=missing))
            self._recording.add(wanted, missing, answer)
        return self._recording.vectors(wanted)

    async def close(self) -> None:
        """Close the file and the connections."""
        self._recording.close()
        await self._upstream.close()


class Replay:
    """Answer from a recording, and from nothing else.

    Args:
        recording: May be read only.
    """

    mode: Mode = "replay"

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    def models(self) -> list[str]:
        """Return the names of the models that were recorded."""
        return self._recording.models()

    async def vectors(self, wanted: Wanted) -> NDArray[np.float32]:
        """Return one row a text, in order, to the bit as it was recorded.

        Raises:
            Refused: With status 404, naming the hash of a text that is missing.
        """
        if wanted.model not in self.models():
            raise unknown_model(wanted.model, self.models())
        missing = self._recording.missing(wanted)
        if missing:
            raise _not_recorded(self._recording.name, wanted, missing)
        return self._recording.vectors(wanted)

    async def close(self) -> None:
        """Do nothing: all is in memory."""


def _not_recorded(name: str, wanted: Wanted, missing: Sequence[str]) -> Refused:
    asked = "no dimensions asked for"
    if wanted.dimension is not None:
        asked = f"dimensions {wanted.dimension}"
    others = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
    return Refused(
        404,
        f"{name} has no vector of {wanted.model!r:.80}, {asked}, for the text with"
        f" SHA-256 {digest(missing[0]).hex()}{others}. Record it first.",
        param="input",
        code="not_recorded",
    )
