"""Find a vector for every text of a call: in the cache, or by asking."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.provider.batches import Piece, batches, piece, tokens
from harness.provider.cache import Shelf
from harness.provider.client import EmbeddingsClient
from harness.provider.counts import Tally
from harness.provider.failures import RefusedText
from harness.provider.flights import Flights
from harness.provider.options import EmbeddingOptions
from harness.provider.oversize import cut_further
from harness.provider.refusals import NotFiniteError, TooLargeError

Row = NDArray[np.float32]


class Fragment(NamedTuple):
    """A text as it was embedded in the end, and its vector."""

    text: str
    row: Row


Found = dict[bytes, list[Fragment]]
"""By the hash of a piece, what it was embedded as: itself, or what it was cut into."""

Kept = Mapping[bytes, Row | None]
"""What the cache has: a vector, or None for a text known to be too long."""


class Gathering:
    """One call's search for vectors.

    Args:
        client: Asks the endpoint.
        shelf: Is looked into first, and gets every vector at once.
        options: How to cut.
        tally: Counts.
        flights: What is under way, shared by all calls of one event loop: a text that
            another call waits for is waited for here too, and not paid for twice.

    Attributes:
        refused: Texts that have no usable vector, in no order. The rest of the call
            goes on without them; whoever called must not.
    """

    def __init__(
        self,
        client: EmbeddingsClient,
        shelf: Shelf,
        options: EmbeddingOptions,
        tally: Tally,
        flights: Flights[list[Fragment]],
    ) -> None:
        self.refused: list[RefusedText] = []
        self._client = client
        self._shelf = shelf
        self._options = options
        self._tally = tally
        self._flights = flights

    async def gather(self, wanted: Iterable[Piece]) -> Found:
        """Find the vectors of all of *wanted*, each asked for once.

        Returns:
            Something for each piece that is not among the refused ones.

        Raises:
            ProviderError: The endpoint answered what is no vector.
            PrerequisiteError: The endpoint or the cache failed for good.
        """
        distinct = {each.sha256: each for each in wanted}
        kept = self._looked_up(distinct)
        # Nothing may be awaited between that look and this one: what lands meanwhile
        # would be in neither.
        theirs = self._flights.of_others(
            sha for sha in distinct if kept.get(sha) is None
        )
        ours = {sha: each for sha, each in distinct.items() if sha not in theirs}
        self._tally.now.joined += len(theirs)
        with self._flights.taken([sha for sha in ours if kept.get(sha) is None]):
            found = await self._found(ours, kept)
        found |= await self._flights.landed(theirs)
        left = {sha: distinct[sha] for sha in theirs if sha not in found}
        # Whoever sent these got nothing, or was broken off.
        return found | await self._found(left, self._shelf.find(list(left)))

    def _looked_up(self, pieces: Mapping[bytes, Piece]) -> Kept:
        """Look for pieces in the cache, and count them."""
        kept = self._shelf.find(list(pieces))
        self._tally.now.fragments += len(pieces)
        self._tally.now.cache_hits += sum(row is not None for row in kept.values())
        return kept

    async def _found(self, pieces: Mapping[bytes, Piece], kept: Kept) -> Found:
        """Take pieces from the cache where it has them, and ask for the others.

        This waits for no other call, so that no two can wait for each other.
        """
        found: Found = {}
        for sha, row in kept.items():
            each = pieces.get(sha)
            if each is None:
                continue
            if row is None:
                found |= await self._cut(each, "known to be too long")
            else:
                found[sha] = [Fragment(each.text, row)]
        missing = [each for sha, each in pieces.items() if sha not in kept]
        for part in await self._all(missing):
            found |= part
        return found

    async def _all(self, missing: Sequence[Piece]) -> list[Found]:
        cut = batches(
            missing,
            most_texts=self._options.texts_per_request,
            most_tokens=self._options.tokens_per_request,
        )
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._batch(batch)) for batch in cut]
        except ExceptionGroup as problems:
            failure = _first(problems)
        else:
            return [task.result() for task in tasks]
        # Out here the group does not hang on as the context.
        raise failure

    async def _batch(self, batch: Sequence[Piece]) -> Found:
        """Ask for one batch; one that cannot be served whole is asked for in parts."""
        self._tally.now.tokens += sum(tokens(each.text) for each in batch)
        rows = await self._rows(batch)
        if isinstance(rows, NotFiniteError):
            return await self._without_a_vector(batch, batch, str(rows))
        if isinstance(rows, TooLargeError):
            if len(batch) > 1:
                return await self._halves(batch)
            self._shelf.mark_too_long(batch[0].sha256)
            return await self._cut(batch[0], str(rows))
        # Nothing is near to a zero vector, and no cosine can be had of it.
        sound = [bool(np.isfinite(row).all() and row.any()) for row in rows]
        kept = {
            each.sha256: row
            for each, row, is_sound in zip(batch, rows, sound, strict=True)
            if is_sound
        }
        found = self._stored(batch, kept)
        bad = [each for each in batch if each.sha256 not in kept]
        if bad:
            said = "its vector is not finite, or zero"
            found |= await self._without_a_vector(batch, bad, said)
        return found

    async def _rows(
        self, batch: Sequence[Piece]
    ) -> NDArray[np.float32] | TooLargeError | NotFiniteError:
        try:
            return await self._client.ask([each.text for each in batch])
        except (TooLargeError, NotFiniteError) as error:
            return error

    def _stored(self, batch: Sequence[Piece], rows: Mapping[bytes, Row]) -> Found:
        """Keep vectors, and return those that are kept: another process was faster."""
        self._shelf.keep(rows)
        kept = self._shelf.find(list(rows))
        found: Found = {}
        for each in batch:
            if each.sha256 in rows:
                row = kept.get(each.sha256)
                settled = rows[each.sha256] if row is None else row
                found[each.sha256] = [Fragment(each.text, settled)]
                self._flights.land(each.sha256, found[each.sha256])
        return found

    async def _without_a_vector(
        self, batch: Sequence[Piece], bad: Sequence[Piece], said: str
    ) -> Found:
        """Ask for *bad* of *batch* in smaller requests, down to one text alone."""
        if len(batch) == 1:
            self._refuse(batch[0], said)
            return {}
        if len(bad) < len(batch):
            self._tally.now.splits += 1
            return await self._batch(bad)
        return await self._halves(batch)

    async def _halves(self, batch: Sequence[Piece]) -> Found:
        self._tally.now.splits += 1
        middle = len(batch) // 2
        first = await self._batch(batch[:middle])
        return first | await self._batch(batch[middle:])

    async def _cut(self, whole: Piece, said: str) -> Found:
        """Embed a text that is too long in pieces."""
        cut = cut_further(whole.text, self._options.oversize)
        pieces = {each.sha256: each for each in map(piece, cut)}
        if not pieces:
            self._refuse(whole, f"{said}, at some {tokens(whole.text)} tokens")
            return {}
        found = await self._found(pieces, self._looked_up(pieces))
        if any(sha not in found for sha in pieces):
            return {}  # one of them is refused, and so named
        parts = [part for text in cut for part in found[piece(text).sha256]]
        self._flights.land(whole.sha256, parts)
        return {whole.sha256: parts}

    def _refuse(self, text: Piece, reason: str) -> None:
        self.refused.append(RefusedText(text.name, reason))


def _first(problems: ExceptionGroup[Exception]) -> Exception:
    problem: Exception = problems
    while isinstance(problem, ExceptionGroup):
        problem = problem.exceptions[0]
    return problem
