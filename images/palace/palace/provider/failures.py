"""What can go wrong with an embedding provider.

ProviderFailed
├── UnusableText   a text that must not be sent
└── Transient      retried inside the package; gets out when it goes on
"""

from __future__ import annotations

from typing import Final

FAILED: Final = "memcastle::embed::failed"
DIMENSION_MISMATCH: Final = "memcastle::embed::dimension_mismatch"


class ProviderFailed(Exception):
    """The provider could not be asked, or its answer cannot be used.

    Attributes:
        code: ``memcastle::embed::failed`` or ``memcastle::embed::dimension_mismatch``.
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

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(FAILED, message)
        self.retry_after_s = retry_after_s
