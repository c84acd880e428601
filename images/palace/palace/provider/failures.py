"""What can go wrong with an embedding provider, each under a stable code.

ProviderFailed
├── UnusableText   a text that must not be sent
└── Transient      retried inside the package; gets out when it goes on
"""

from __future__ import annotations

from typing import Final

UNREACHABLE: Final = "memcastle::embed::unreachable"
"""No connection, or one that broke."""
TIMEOUT: Final = "memcastle::embed::timeout"
"""No whole answer in time."""
RATE_LIMITED: Final = "memcastle::embed::rate_limited"
"""Asked too often, says the provider."""
FAILED: Final = "memcastle::embed::failed"
"""A refusal, a fault of the provider, or an answer that is not of the protocol."""
DIMENSION_MISMATCH: Final = "memcastle::embed::dimension_mismatch"
"""A vector of another length than the profile's."""
NOT_FINITE: Final = "memcastle::embed::not_finite"
"""A vector with NaN, infinity or null in it."""
ZERO_VECTOR: Final = "memcastle::embed::zero_vector"
"""A query whose vector is all zero, which has no direction."""
UNCONFIGURED: Final = "memcastle::embed::unconfigured"
"""There is no provider."""


class ProviderFailed(Exception):
    """The provider could not be asked, or its answer cannot be used.

    Attributes:
        code: One of the codes above.
        message: What went wrong, without the key and without the texts.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class UnusableText(ProviderFailed):
    """A text must not be sent: blank, or not Unicode. Nothing of the call was.

    Attributes:
        place: Where the text stands among those of the call, from 0.
    """

    def __init__(self, place: int, reason: str) -> None:
        super().__init__(
            FAILED, f"text {place} cannot be embedded: {reason}; leave it out"
        )
        self.place = place


class Transient(ProviderFailed):
    """A failure that may be over soon.

    Attributes:
        retry_after_s: When the provider wants to be asked again, if it said so.
    """

    def __init__(
        self, code: str, message: str, retry_after_s: float | None = None
    ) -> None:
        super().__init__(code, message)
        self.retry_after_s = retry_after_s
