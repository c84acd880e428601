"""Takes an embeddings answer apart, believing nothing of it."""

from __future__ import annotations

import numpy as np
import orjson
from numpy.typing import NDArray

from palace.provider.failures import DIMENSION_MISMATCH, FAILED, ProviderFailed


class Answer:
    """The body of a successful response.

    Args:
        name: The provider's, for messages.
        body: As received.
    """

    def __init__(self, name: str, body: bytes) -> None:
        self._name = name
        self._body = body

    def vectors(self, n_texts: int, dimension: int) -> list[NDArray[np.float32]]:
        """Return the vectors in the order of the texts that were sent.

        Raises:
            ProviderFailed: Anything is not as the protocol has it, or not finite; under
                a code of its own when a vector does not have *dimension* numbers.
        """
        items = _data_of(self._body)
        if items is None:
            raise self._unusable("no JSON object with a list `data`")
        if len(items) != n_texts:
            raise self._unusable(f"{len(items)} vectors for {n_texts} texts")
        by_place: dict[int, NDArray[np.float32]] = {}
        for item in items:
            if not isinstance(item, dict):
                raise self._unusable("something else than objects in `data`")
            place = item.get("index")
            # True would pass for 1.
            if type(place) is not int or not 0 <= place < n_texts:
                raise self._unusable(f"a vector with index {place!r:.40}")
            if place in by_place:
                raise self._unusable(f"two vectors with index {place}")
            by_place[place] = self._vector(place, item.get("embedding"), dimension)
        return [by_place[place] for place in range(n_texts)]

    def _vector(
        self, place: int, numbers: object, dimension: int
    ) -> NDArray[np.float32]:
        if not isinstance(numbers, list) or not all(
            type(number) in (int, float) for number in numbers
        ):
            raise self._unusable(f"something else than numbers for text {place}")
        if len(numbers) != dimension:
            raise ProviderFailed(
                DIMENSION_MISMATCH,
                f"{self._name} answered a vector of length {len(numbers)}, the profile"
                f" has {dimension}",
            )
        # What is finite as sent can be too large for single precision.
        with np.errstate(over="ignore"):
            vector = np.array(numbers, dtype=np.float64).astype(np.float32)
        if not np.isfinite(vector).all():
            raise self._unusable(f"a number that is not finite for text {place}")
        return vector

    def _unusable(self, found: str) -> ProviderFailed:
        return ProviderFailed(FAILED, f"{self._name} answered {found}")


def _data_of(body: bytes) -> list[object] | None:
    # Does not raise itself: a service may repeat the key in its error, and what fails
    # here would carry that along in its frame.
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    data = answer.get("data") if isinstance(answer, dict) else None
    return data if isinstance(data, list) else None
