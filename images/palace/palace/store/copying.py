"""Vectors in the binary form of COPY: a whole load at once, not one by one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

# The signature, no flags, no extension; and a row of -1 fields for the end.
_HEADER: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_TRAILER: Final = b"\xff\xff"


async def copied(
    vectors: Sequence[tuple[int, NDArray[np.float32]]],
) -> AsyncIterator[bytes]:
    """Yield numbered vectors, all of one length and at least one, as COPY reads them.

    A row is a count of fields, then for each its length and its bytes, high byte first.
    A vector's are the dimension, an unused number, and the components.
    """
    dimension = len(vectors[0][1])
    row = np.dtype(
        [
            ("fields", ">i2"),
            ("seq_bytes", ">i4"),
            ("seq", ">i8"),
            ("v_bytes", ">i4"),
            ("dimension", ">i2"),
            ("unused", ">i2"),
            ("v", ">f4", (dimension,)),
        ]
    )
    rows = np.zeros(len(vectors), row)
    rows["fields"] = 2
    rows["seq_bytes"] = 8
    rows["seq"] = [seq for seq, _ in vectors]
    rows["v_bytes"] = 4 + 4 * dimension
    rows["dimension"] = dimension
    rows["v"] = [vector for _, vector in vectors]
    yield _HEADER + rows.tobytes() + _TRAILER
