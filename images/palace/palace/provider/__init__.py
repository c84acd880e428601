"""Asks a service that speaks the OpenAI embeddings protocol for vectors.

What comes back is not trusted: a vector leaves here only when it belongs to its text,
has the right length and is finite. The key appears in no message, log or repr; no
exception of the HTTP library gets out either, since those hold the request and with it
the key.
"""

from palace.provider.client import EmbeddingProvider, Patience
from palace.provider.failures import (
    DIMENSION_MISMATCH,
    FAILED,
    ProviderFailed,
    UnusableText,
)

__all__ = [
    "DIMENSION_MISMATCH",
    "FAILED",
    "EmbeddingProvider",
    "Patience",
    "ProviderFailed",
    "UnusableText",
]
