"""Takes an embeddings answer apart, believing nothing of it."""

from __future__ import annotations

import binascii
import json
from array import array
from collections.abc import Sequence
from typing import Final

import numpy as np
import orjson
from numpy.typing import NDArray

from palace.provider.failures import (
    DIMENSION_MISMATCH,
    FAILED,
    NOT_FINITE,
    ProviderFailed,
)

_NUMBERS: Final = frozenset({int, float})
# Many services have no other way to write what is not a number.
_NUMBERS_AND_NULL: Final = frozenset({int, float, type(None)})


class Answer:
    """The body of a successful response.

    Args:
        name: The provider's, for messages.
        body: As received.
        takes_base64: Whether a vector may also come as base64 of its single precision
            numbers, low byte first. It was asked for then; a service that does not
            know it answers numbers all the same.
    """

    def __init__(self, name: str, body: bytes, *, takes_base64: bool = False) -> None:
        self._name = name
        self._body = body
        self._takes_base64 = takes_base64
        self._may_hold_booleans = b"true" in body or b"false" in body

    def vectors(self, n_texts: int, dimension: int) -> NDArray[np.float32]:
        """Return the vectors, one a row, in the order of the texts that were sent.

        Raises:
            ProviderFailed: Anything is not as the protocol has it; under a code of its
                own when a vector does not have *dimension* numbers or is not finite.
        """
        items = _data_of(self._body)
        if items is None:
            raise self._unusable("no JSON object with a list `data`")
        if len(items) != n_texts:
            raise self._unusable(f"{len(items)} vectors for {n_texts} texts")
        # What is finite as sent can be too large for single precision.
        with np.errstate(over="ignore"):
            vectors = self._collected(items, dimension)
        finite = np.isfinite(vectors).all(axis=1)
        if not finite.all():
            raise self._not_finite(int(np.argmin(finite)))
        return vectors

    def _collected(
        self, items: Sequence[object], dimension: int
    ) -> NDArray[np.float32]:
        """Return the vectors as they came, each in the place it says."""
        n_texts = len(items)
        vectors = np.empty((n_texts, dimension), np.float32)
        seen: set[int] = set()
        for item in items:
            if not isinstance(item, dict):
                raise self._unusable("something else than objects in `data`")
            place = item.get("index")
            # True would pass for 1.
            if type(place) is not int or not 0 <= place < n_texts:
                raise self._unusable(f"a vector with index {place!r:.40}")
            if place in seen:
                raise self._unusable(f"two vectors with index {place}")
            seen.add(place)
            numbers = self._numbers(place, item.get("embedding"))
            if len(numbers) != dimension:
                raise ProviderFailed(
                    DIMENSION_MISMATCH,
                    f"{self._name} answered a vector of length {len(numbers)}, the"
                    f" profile has {dimension}",
                )
            vectors[place] = numbers
        return vectors

    def _numbers(self, place: int, sent: object) -> NDArray[np.floating]:
        """Return one vector, of any length."""
        numbers = None
        if isinstance(sent, list):
            # Looking at each number's type costs as much as turning them all over, and
            # only what Python takes for a number and JSON does not would be missed.
            is_numeric = not self._may_hold_booleans or set(map(type, sent)) <= _NUMBERS
            numbers = _as_doubles(sent) if is_numeric else None
            if numbers is None and set(map(type, sent)) <= _NUMBERS_AND_NULL:
                raise self._not_finite(place)
        elif isinstance(sent, str) and self._takes_base64:
            numbers = _from_base64(sent)
        if numbers is None:
            raise self._unusable(f"something else than numbers for text {place}")
        return numbers

    def _not_finite(self, place: int) -> ProviderFailed:
        return ProviderFailed(
            NOT_FINITE,
            f"{self._name} answered a number that is not finite for text {place}",
        )

    def _unusable(self, found: str) -> ProviderFailed:
        return ProviderFailed(FAILED, f"{self._name} answered {found}")


def _as_doubles(sent: list[float]) -> NDArray[np.floating] | None:
    """Return a list of numbers, booleans among them, or None for anything else."""
    try:
        return np.frombuffer(array("d", sent))
    except (TypeError, OverflowError):
        return None


def _from_base64(sent: str) -> NDArray[np.floating] | None:
    """Return single precision numbers, low byte first, or None for anything else."""
    try:
        return np.frombuffer(binascii.a2b_base64(sent, strict_mode=True), "<f4")
    except ValueError:
        return None


def _data_of(body: bytes) -> list[object] | None:
    # Does not raise itself: a service may repeat the key in its error, and what fails
    # here would carry that along in its frame.
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:
        answer = _lenient(body)
    data = answer.get("data") if isinstance(answer, dict) else None
    return data if isinstance(data, list) else None


def _lenient(body: bytes) -> object:
    """Read JSON with NaN in it, which is none, so that NaN is what is complained of."""
    if b"NaN" not in body and b"Infinity" not in body:
        return None
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
