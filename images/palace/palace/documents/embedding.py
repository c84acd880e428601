"""Has the provider embed fragments: which are sent, and what is kept of the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from palace.core import Palace
from palace.errors import EmbeddingFailed
from palace.provider import DIMENSION_MISMATCH, Caps, ProviderFailed
from palace.store.vectors import Vector

# What a request of fragments weighs at most; a third of what services are known to
# refuse. How many fragments it carries is a setting.
_MOST_TOKENS: Final = 100_000
_REMEDY: Final = (
    "Nothing was stored. Check the embedding provider and send the request again."
)


async def embed(palace: Palace, texts: Sequence[str]) -> list[Vector | None]:
    """Return each text's vector at unit length, None where it has none.

    A blank text has none and is not sent; one that the provider finds nothing in, so
    that its vector is all zero, has none either. Without a provider none has.

    Raises:
        EmbeddingFailed: The provider failed for any of them.
    """
    vectors: list[Vector | None] = [None] * len(texts)
    settings, table = palace.settings.embeddings, palace.fragment_vectors
    if palace.provider is None or settings is None or table is None:
        return vectors
    sent = [place for place, text in enumerate(texts) if not text.isspace()]
    caps = Caps(settings.batch_texts, _MOST_TOKENS)
    try:
        found = await palace.provider.embed([texts[place] for place in sent], caps)
    except ProviderFailed as problem:
        raise EmbeddingFailed(problem.code, problem.message, _REMEDY) from problem
    dimension = table.profile.dimension
    if found.shape[1] != dimension:
        raise EmbeddingFailed(
            DIMENSION_MISMATCH,
            f"the provider's vectors have {found.shape[1]} components, profile"
            f" {table.profile.name!r} has {dimension}",
            "Set PALACE_EMBEDDINGS_DIMENSION to what the profile has, and restart.",
        )
    for place, unit in zip(sent, unit_rows(found), strict=True):
        vectors[place] = unit
    return vectors


def unit_rows(vectors: NDArray[np.float32]) -> list[Vector | None]:
    """Return each row, all finite, at unit length; None for one that is all zero."""
    wide = vectors.astype(np.float64)
    largest = np.abs(wide).max(axis=1, keepdims=True, initial=0.0)
    has_direction = largest[:, 0] > 0.0
    # Scaled first, so that squares neither overflow nor vanish.
    np.divide(wide, largest, out=wide, where=largest > 0.0)
    lengths = np.sqrt((wide * wide).sum(axis=1, keepdims=True))
    np.divide(wide, lengths, out=wide, where=lengths > 0.0)
    units = wide.astype(np.float32)
    return [
        unit if is_one else None
        for unit, is_one in zip(units, has_direction.tolist(), strict=True)
    ]
