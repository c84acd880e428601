"""Cuts a text into fragments that overlap, at the coarsest breaks that fit.

The text is split at blank lines; what is still too long at line ends, then at spaces,
and at last anywhere between two code points. A separator stays with what follows it.
The pieces are then joined again for as long as they fit one fragment. Each further
fragment begins a little before its predecessor's end, so what a cut divides stands
whole in one of the two. Nothing is stripped: every character lies in a fragment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from palace.documents.constants import RankingConstants

_SEPARATORS: Final = ("\n\n", "\n", " ")


class Chunk(NamedTuple):
    """A stretch of a text; offsets count code points, the end excluded."""

    start: int
    end: int
    text: str


def chunk(text: str, constants: RankingConstants) -> list[Chunk]:
    """Return the fragments of *text* in its order; none for an empty text.

    No fragment is longer than `chunk_characters`. Two neighbours share at most
    `overlap_characters`, and the shared part begins at a line end or a space where it
    holds one. They share less where the piece that follows leaves no room.

    A cut between code points can fall inside of what is seen as one character; that
    one then stands whole in the next fragment, thanks to the overlap.
    """
    size, overlap = constants.chunk_characters, constants.overlap_characters
    chunks: list[Chunk] = []
    begin = end = 0
    for stop in _piece_ends(text, 0, len(text), _SEPARATORS, size):
        is_divisible = stop - end > size
        while stop - begin > size:
            if is_divisible:
                end, room = begin + size, overlap
            else:
                room = min(overlap, size - (stop - end))
            chunks.append(Chunk(begin, end, text[begin:end]))
            # Not as far back as it began: an overlap is shorter than a fragment.
            begin = _break_after(text, max(begin + 1, end - room), end)
        end = stop
    if end > begin:
        chunks.append(Chunk(begin, end, text[begin:end]))
    return chunks


def _piece_ends(
    text: str, begin: int, end: int, separators: Sequence[str], size: int
) -> Iterator[int]:
    """Iterate where the pieces of a stretch end.

    A piece longer than *size* has no separator in it and may be cut anywhere.
    """
    if end - begin <= size or not separators:
        if end > begin:
            yield end
        return
    separator, finer = separators[0], separators[1:]
    while begin < end:
        # From behind the separator that the piece begins with.
        cut = text.find(separator, begin + 1, end)
        stop = end if cut < 0 else cut
        yield from _piece_ends(text, begin, stop, finer, size)
        begin = stop


def _break_after(text: str, begin: int, end: int) -> int:
    """Return the first line end or space from *begin* on, or *begin* without one."""
    breaks = [text.find(separator, begin, end) for separator in ("\n", " ")]
    return min((place for place in breaks if place >= 0), default=begin)
