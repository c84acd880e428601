"""Asks a service that speaks the OpenAI embeddings protocol for vectors.

What comes back is not trusted: a vector leaves here only when it belongs to its text,
has the right length and is finite. The key appears in no message, log or repr; no
exception of the HTTP library gets out either, since those hold the request and with it
the key.
"""

from palace.provider.batches import Caps
from palace.provider.client import EmbeddingProvider
from palace.provider.failures import (
    DIMENSION_MISMATCH,
    FAILED,
    NOT_FINITE,
    RATE_LIMITED,
    TIMEOUT,
    UNCONFIGURED,
    UNREACHABLE,
    ZERO_VECTOR,
    ProviderFailed,
    UnusableText,
)
from palace.provider.patience import Patience

__all__ = [
    "DIMENSION_MISMATCH",
    "FAILED",
    "NOT_FINITE",
    "RATE_LIMITED",
    "TIMEOUT",
    "UNCONFIGURED",
    "UNREACHABLE",
    "ZERO_VECTOR",
    "Caps",
    "EmbeddingProvider",
    "Patience",
    "ProviderFailed",
    "UnusableText",
]
