"""Start the reference daemon with one fault in how it keeps and recalls documents.

Runs as `plant` does, in the daemon's environment and its files untouched; ``MUTANT``
names the fault, a function of this module. Faults that are no more than other constants
are planted through ``PALACE_RANKING``, and are not here.
"""

import os
import re
import sys
from collections.abc import Sequence
from uuid import UUID, uuid4

import numpy as np
from faults.putting import put
from numpy.typing import NDArray
from palace.__main__ import main
from palace.core import Palace
from palace.documents import analysis, embedding, index, ingest, modes, vocabulary
from palace.documents.answer import Answer, Mode, Rank, Ranked
from palace.documents.chunking import Chunk, chunk
from palace.documents.constants import RankingConstants
from palace.documents.index import FragmentIndex, Seqs
from palace.documents.modes import Question
from palace.documents.query_vector import Missing, QueryVector
from palace.errors import EmbeddingFailed
from palace.provider import EmbeddingProvider
from palace.store.connect import PalaceConnection
from palace.store.vectors import Vector

_fallen_open = modes._fallen_open
_by_vector = modes._by_vector
_embed = embedding.embed
_scope = FragmentIndex.scope
_embed_query = EmbeddingProvider.embed_query


def _vector_ranked_by(mode: Mode) -> None:
    """Answer ``vector`` by another mode, under its name; the query is embedded."""

    def by_vector(palace: Palace, question: Question, vector: QueryVector) -> Rank:
        if question.mode is not Mode.VECTOR:
            return _by_vector(palace, question, vector)
        question = Question(question.text, mode, question.place, question.limit)
        if mode is Mode.KEYWORD:
            return modes._by_keywords(palace, question)
        return _by_vector(palace, question, vector)

    put(modes, "_by_vector", by_vector)


def vector_answered_by_keyword() -> None:
    """A healthy vector search is a keyword search, and does not say so."""
    _vector_ranked_by(Mode.KEYWORD)


def vector_answered_by_hybrid() -> None:
    """A healthy vector search is a hybrid one, which finds as much."""
    _vector_ranked_by(Mode.HYBRID)


def hits_without_a_common_word_dropped() -> None:
    """What shares no word with the query is dropped, however near it is."""

    def by_vector(palace: Palace, question: Question, vector: QueryVector) -> Rank:
        rank = _by_vector(palace, question, vector)

        async def overlapping(connection: PalaceConnection) -> Ranked:
            ranked = await rank(connection)
            seqs = np.array([hit.seq for hit in ranked.hits], np.int64)
            words = palace.memory.fragments.rank_document(question.text, seqs)
            kept = [hit for hit, word in zip(ranked.hits, words, strict=True) if word]
            return ranked._replace(hits=kept)

        return overlapping

    put(modes, "_by_vector", by_vector)


def fail_open_finds_nothing() -> None:
    """A search that falls open answers an empty list, and says all the rest."""

    async def empty(
        palace: Palace, question: Question, missing: Missing, embed_ms: float | None
    ) -> Answer:
        answer = await _fallen_open(palace, question, missing, embed_ms)
        return answer._replace(hits=[])

    put(modes, "_fallen_open", empty)


def fail_open_unflagged() -> None:
    """A search that falls open says what ran, and not that it is another mode."""

    async def silent(
        palace: Palace, question: Question, missing: Missing, embed_ms: float | None
    ) -> Answer:
        answer = await _fallen_open(palace, question, missing, embed_ms)
        return answer._replace(missing=None)

    put(modes, "_fallen_open", silent)


def fail_open_denied() -> None:
    """A search that falls open says that the mode ran that was asked for."""

    async def lying(
        palace: Palace, question: Question, missing: Missing, embed_ms: float | None
    ) -> Answer:
        answer = await _fallen_open(palace, question, missing, embed_ms)
        return answer._replace(effective=question.mode, missing=None)

    put(modes, "_fallen_open", lying)


def query_vectors_cached() -> None:
    """A query asked before is not embedded again, so nobody sees the embedder fail."""
    known: dict[str, NDArray[np.float32]] = {}

    async def cached(provider: EmbeddingProvider, text: str) -> NDArray[np.float32]:
        if text not in known:
            known[text] = await _embed_query(provider, text)
        return known[text]

    put(EmbeddingProvider, "embed_query", cached)


def stemming_off() -> None:
    """Words match in the very form they were written in, whatever is asked for."""

    def unchanged(terms: Sequence[str], _: object = None) -> list[str]:
        return list(terms)

    for module in (analysis, index, vocabulary):
        put(module, "stems", unchanged)


def only_a_to_z() -> None:
    """Words are runs of a to z and digits; all else is not there."""

    def terms(text: str) -> list[str]:
        return re.findall(r"[a-z0-9]+", text.lower())

    for module in (analysis, index):
        put(module, "document_terms", terms)


def only_the_first_fragment() -> None:
    """Of a long document, only the beginning is kept for searching."""

    def first(text: str, constants: RankingConstants) -> list[Chunk]:
        return chunk(text, constants)[:1]

    put(ingest, "chunk", first)


def updates_keep_the_old_text() -> None:
    """A new text is taken, and the old one is what is found."""

    async def replace(palace: Palace, document: UUID, _: str) -> ingest.Stored:
        async with palace.read() as connection:
            row = await ingest._found(connection, document)
        return ingest.Stored(
            row._replace(version=row.version + 1),
            palace.memory.catalog.room_of(row.room),
        )

    put(ingest, "replace", replace)


def deletes_keep_the_fragments() -> None:
    """A document is deleted, and its fragments are found all the same."""

    async def delete(palace: Palace, document: UUID) -> None:
        async with palace.read() as connection:
            await ingest._found(connection, document)

    put(ingest, "delete", delete)


def duplicates_stored_twice() -> None:
    """What is sent again is stored again."""

    def key_of(*_: str) -> bytes:
        return uuid4().bytes

    put(ingest, "key_of", key_of)


def failed_ingest_half_stored() -> None:
    """A document that cannot be embedded is stored without its vectors."""

    async def embed(palace: Palace, texts: Sequence[str]) -> list[Vector | None]:
        try:
            return await _embed(palace, texts)
        except EmbeddingFailed:
            return [None] * len(texts)

    put(ingest, "embed", embed)


def wing_ignored() -> None:
    """A wing asked for does not restrict the search."""

    def scope(
        fragments: FragmentIndex, _wing: str | None = None, room: str | None = None
    ) -> Seqs:
        return _scope(fragments, None, room)

    put(FragmentIndex, "scope", scope)


if __name__ == "__main__":
    globals()[os.environ["MUTANT"]]()
    sys.exit(main([]))
