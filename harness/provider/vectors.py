"""What an embedder returns for a document."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
"""One row of finite numbers, not all zero, as the endpoint made them."""


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddedText:
    """A text with its vector: a document, or one of the fragments it was cut into.

    Of a document cut into fragments, the fragment nearest to a query counts.

    Attributes:
        text: The document, or the fragment. Half characters in it are U+FFFD.
        vector: Its row.
        is_truncated: Whether the vector is of the beginning of the text alone.
    """

    text: str
    vector: Vector
    is_truncated: bool = False
