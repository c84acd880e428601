"""An exact BM25 index in memory that only looks at documents a query word touches."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import count, pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from palace.lexical import bm25
from palace.lexical.matching import (
    Mask,
    QueryTerm,
    Rows,
    Scores,
    Scratch,
    match_all,
    match_any,
)
from palace.lexical.postings import Column, Postings
from palace.lexical.selection import best

Match: TypeAlias = Literal["all", "any", "all_then_any"]
"""Which documents match: those with every word of the query, or with any of them."""

# Removed rows are swept out of a term's postings once they outnumber the live ones;
# below this many it is not worth the copy.
_PURGE_FROM: Final = 32


class LexicalResult(NamedTuple):
    """What a search found.

    Attributes:
        hits: Pairs of sequence number and score, best first, ties by ascending
            sequence number.
        matched: Whether the hits have every query word or any; ``none`` without hits.
    """

    hits: list[tuple[int, float]]
    matched: Literal["all", "any", "none"]


class LexicalIndex:
    """Rank documents by BM25 (k1 1.2, b 0.75) over terms made elsewhere.

    A document is a sequence number, the caller's name for it, and gets a *row*: dense,
    counted from 0 in order of arrival, never used again. The scope of a search is a
    boolean array indexed by row. Statistics (number of documents, document frequency,
    mean length) cover all documents that are not removed, whatever the scope, unless a
    search asks for those of its scope alone.

    Not safe for use by several threads at once, searches included: they share scratch
    memory. Every method runs to its end without waiting, so one event loop needs no
    lock.
    """

    def __init__(self) -> None:
        # Gives an unknown term the next number; searches must ask by ``get``.
        self._vocabulary: defaultdict[str, int] = defaultdict(count().__next__)
        self._postings: list[Postings] = []
        self._rows: dict[int, int] = {}
        self._seqs: Column[np.int64] = Column(np.int64)
        self._is_live: Column[np.bool_] = Column(np.bool_)
        # The terms of each row, repeats too, one run after the other: what a removal
        # must take out of the statistics.
        self._terms: Column[np.int32] = Column(np.int32)
        self._term_ends: Column[np.int64] = Column(np.int64)
        self._total_length = 0
        self._scratch = Scratch()

    def __len__(self) -> int:
        """Count the documents that are not removed."""
        return len(self._rows)

    def __contains__(self, seq: object) -> bool:
        """Tell whether document *seq* is here and not removed."""
        return seq in self._rows

    @property
    def n_rows(self) -> int:
        """Count the rows ever given out, removed ones included."""
        return len(self._seqs)

    @property
    def n_terms(self) -> int:
        """Count the distinct terms ever seen."""
        return len(self._vocabulary)

    @property
    def n_bytes(self) -> int:
        """Count the bytes of all arrays, not of the dictionaries and their keys."""
        return (
            self._seqs.n_bytes
            + self._is_live.n_bytes
            + self._terms.n_bytes
            + self._term_ends.n_bytes
            + self._scratch.n_bytes
            + sum(postings.n_bytes for postings in self._postings)
        )

    def add(self, seq: int, terms: Sequence[str]) -> int:
        """Add one document, found by the very next search, and return its row.

        A document without terms is counted, and found by nothing.

        Raises:
            ValueError: *seq* is already here.
        """
        return self.extend([(seq, terms)]).start

    def extend(self, documents: Iterable[tuple[int, Sequence[str]]]) -> range:
        """Add many documents, all or (on an error) none, and return their rows.

        Much faster than as many ``add`` when a thousand or more come at once.

        Raises:
            ValueError: A sequence number is already here, or comes twice.
        """
        first = self.n_rows
        fresh: dict[int, int] = {}
        ids, lengths = array("i"), array("i")
        id_of = self._vocabulary.__getitem__
        for row, (seq, terms) in enumerate(documents, start=first):
            if seq in self._rows or seq in fresh:
                raise ValueError(
                    f"document {seq!r} is already in the index; remove it first"
                )
            fresh[seq] = row
            ids.extend(map(id_of, terms))
            lengths.append(len(terms))
        self._rows.update(fresh)
        self._seqs.extend(np.fromiter(fresh, dtype=np.int64, count=len(fresh)))
        self._is_live.extend(np.ones(len(fresh), dtype=np.bool_))
        self._term_ends.extend(len(self._terms) + np.cumsum(lengths, dtype=np.int64))
        self._terms.extend(np.array(ids))
        self._total_length += len(ids)
        self._post(np.array(ids), np.array(lengths), first)
        return range(first, self.n_rows)

    def remove(self, seq: int) -> int:
        """Take document *seq* out of results and statistics and return its late row.

        Raises:
            KeyError: *seq* is not here, or was removed before.
        """
        row = self._rows.pop(seq)
        self._is_live.values[row] = False
        ends = self._term_ends.values
        start = int(ends[row - 1]) if row else 0
        ids = self._terms.values[start : int(ends[row])].tolist()
        self._total_length -= len(ids)
        for term_id in set(ids):
            postings = self._postings[term_id]
            postings.live -= 1
            if len(postings) > 2 * postings.live + _PURGE_FROM:
                postings.purge(self._is_live.values)
        return row

    def row_of(self, seq: int) -> int:
        """Find the row of document *seq*.

        Raises:
            KeyError: *seq* is not here, or was removed.
        """
        return self._rows[seq]

    def seq_of(self, row: int) -> int:
        """Find the document in *row*, also when it has been removed.

        Raises:
            IndexError: No such row was ever given out.
        """
        if not 0 <= row < self.n_rows:
            raise IndexError(f"row {row!r} is not among the {self.n_rows} rows")
        return int(self._seqs.values[row])

    def search(
        self,
        terms: Iterable[str],
        *,
        limit: int,
        allowed: Mask | None = None,
        match: Match = "all_then_any",
        scoped: bool = False,
    ) -> LexicalResult:
        """Rank the documents of a scope.

        Each distinct term counts once, however often the query repeats it: in a
        question the repeated words are mostly the ones that say least.

        Args:
            terms: The query's terms, made as those of the documents were. None at all
                match nothing.
            limit: How many hits at most, 1 or more.
            allowed: The scope, indexed by row; None for everything. It is applied
                first, so ``all`` means all words in one document *of the scope*. Rows
                past its end are outside: they came after the scope was taken.
            match: ``all`` wants every term in a document, so an unknown one finds
                nothing. ``all_then_any`` takes any term when that finds nothing and
                there are two distinct terms or more.
            scoped: Whether the statistics are those of the scope alone, so that no
                document outside it moves a score.

        Raises:
            ValueError: *limit* is below 1.
            TypeError: *allowed* is not boolean, as a list of row numbers is.
        """
        if limit < 1:
            raise ValueError(f"limit {limit!r} is below 1")
        mask = self._scope(allowed)
        wanted = sorted(set(terms))
        query = self._query(wanted, mask if scoped else None)
        self._scratch.cover(self.n_rows)
        if match != "any" and query and len(query) == len(wanted):
            hits = self._hits(*match_all(query, mask, self._scratch), limit)
            if hits:
                return LexicalResult(hits, "all")
        if query and (match == "any" or (match == "all_then_any" and len(wanted) > 1)):
            found = match_any(query, mask, self._scratch, limit=limit)
            hits = self._hits(*found, limit)
            if hits:
                return LexicalResult(hits, "any")
        return LexicalResult([], "none")

    def _query(self, wanted: Sequence[str], scope: Mask | None) -> list[QueryTerm]:
        """Weigh the terms that some document has, in the order of *wanted*.

        Args:
            wanted: Distinct terms.
            scope: The only documents that the statistics cover; None for all.
        """
        n_documents, length = len(self._rows), self._total_length
        if scope is not None:
            n_documents = int(np.count_nonzero(scope))
            length = int(np.diff(self._term_ends.values, prepend=0)[scope].sum())
        found = []
        for term in wanted:
            term_id = self._vocabulary.get(term)
            if term_id is None:
                continue
            postings = self._postings[term_id]
            n_with_term = postings.live
            if scope is not None:
                n_with_term = int(np.count_nonzero(scope[postings.rows]))
            # A term whose documents are all removed is as unknown as one never seen.
            if n_with_term:
                weight = bm25.idf(n_documents, n_with_term)
                found.append(QueryTerm(postings, weight, length / n_documents))
        return found

    def _post(self, ids: Rows, lengths: Rows, first: int) -> None:
        """Append to postings the *ids* of new documents, which start at row *first*."""
        new_terms = len(self._vocabulary) - len(self._postings)
        self._postings.extend(Postings() for _ in range(new_terms))
        # One number for each term of each document: sorted by term, then by document,
        # and the repeats inside a document lie side by side.
        n_new = max(len(lengths), 1)
        keys = ids * np.int64(n_new) + np.repeat(np.arange(len(lengths)), lengths)
        keys.sort()
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        owners, documents = np.divmod(keys[starts], n_new)
        counts = np.diff(starts, append=len(keys))
        block = np.array(
            (documents + first, counts, lengths[documents]), dtype=np.int32
        )
        edges = np.flatnonzero(np.diff(owners, prepend=-1, append=-1)).tolist()
        for start, end in pairwise(edges):
            postings = self._postings[owners[start]]
            if end - start == 1:
                postings.append(*block[:, start].tolist())
            else:
                postings.extend(block[:, start:end])

    def _scope(self, allowed: Mask | None) -> Mask | None:
        """Join the caller's scope with what is not removed; None for everything."""
        is_live = self._is_live.values
        if allowed is None:
            return is_live if len(self._rows) < self.n_rows else None
        if allowed.dtype != np.bool_:
            raise TypeError(f"allowed has dtype {allowed.dtype}, wanted bool, by row")
        mask = np.zeros(self.n_rows, dtype=np.bool_)
        reach = min(len(allowed), self.n_rows)
        np.logical_and(allowed[:reach], is_live[:reach], out=mask[:reach])
        return mask

    def _hits(self, rows: Rows, scores: Scores, limit: int) -> list[tuple[int, float]]:
        seqs = self._seqs.values[rows]
        order = best(scores, seqs, limit)
        return list(zip(seqs[order].tolist(), scores[order].tolist(), strict=True))
