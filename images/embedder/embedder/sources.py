"""Where vectors come from, and the first such place: the models of the harness."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple, Protocol

import numpy as np
import orjson
from harness.dataset.vectors import concepts, trigrams
from numpy.typing import NDArray

from embedder.errors import Refused, StartupError
from embedder.wire import Wanted

Mode = Literal["serve", "record", "replay"]

# Texts embedded before anybody else gets a turn: some 10 ms.
_SLICE: Final = 256


class Source(Protocol):
    """Knows the vectors of texts."""

    mode: Mode

    def models(self) -> list[str]:
        """Return the names of the models it has vectors of."""

    async def vectors(self, wanted: Wanted) -> NDArray[np.float32]:
        """Return one row a text, in order.

        Raises:
            Refused: It has no such vectors; the status says why.
        """

    async def close(self) -> None:
        """Let go of files and connections."""


class _Embeds(Protocol):
    def embed_all(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


class _Model(NamedTuple):
    dimension: int
    embeds: _Embeds


class StandInModels:
    """Embed by the models that the harness defines, here and now.

    Args:
        words: Word to concept, for the model of concepts.
    """

    mode: Mode = "serve"

    def __init__(self, words: Mapping[str, str]) -> None:
        self._models = {
            "trigram-384": _Model(trigrams.DIMENSION, trigrams.TrigramModel()),
            "concept-768": _Model(concepts.DIMENSION, concepts.ConceptModel(words)),
        }

    def models(self) -> list[str]:
        """Return the names of both."""
        return list(self._models)

    async def vectors(self, wanted: Wanted) -> NDArray[np.float32]:
        """Return one row a text, in order; zeros for a text without a word.

        Raises:
            Refused: There is no such model, or it has another dimension.
        """
        model = self._models.get(wanted.model)
        if model is None:
            raise unknown_model(wanted.model, self.models())
        if wanted.dimension not in (None, model.dimension):
            raise Refused(
                400,
                f"Invalid `dimensions`: {wanted.model} has {model.dimension},"
                f" not {wanted.dimension}.",
                param="dimensions",
            )
        slices = []
        for start in range(0, len(wanted.texts), _SLICE):
            if start:
                await asyncio.sleep(0)
            slices.append(model.embeds.embed_all(wanted.texts[start : start + _SLICE]))
        return slices[0] if len(slices) == 1 else np.concatenate(slices)

    async def close(self) -> None:
        """Do nothing: all is in memory."""


def unknown_model(name: str, known: Sequence[str]) -> Refused:
    """Return the refusal of a model that is not among those known."""
    return Refused(
        404,
        f"The model {name!r:.80} does not exist; there are: {', '.join(known) or '-'}.",
        param="model",
        code="model_not_found",
    )


def read_concepts(path: Path) -> dict[str, str]:
    """Return word to concept, from a file of these or from a data set's `concepts`.

    Raises:
        StartupError: The file cannot be read, or holds neither.
    """
    source = f"EMBEDDER_CONCEPTS={str(path)!r}"
    try:
        value = orjson.loads(path.read_bytes())
    except OSError as problem:
        raise StartupError(f"{source} cannot be read: {problem.strerror}.") from problem
    except orjson.JSONDecodeError as problem:
        raise StartupError(f"{source} is not JSON: {problem}.") from problem
    # In a data set the name holds an object; as a word, it would hold a string.
    if isinstance(value, dict) and isinstance(value.get("concepts"), dict):
        value = value["concepts"]
    if not isinstance(value, dict):
        raise StartupError(f"{source} is no JSON object of words.")
    for word, concept in value.items():
        if not isinstance(concept, str):
            raise StartupError(f"{source}: the concept of {word!r:.80} is no string.")
    return value
