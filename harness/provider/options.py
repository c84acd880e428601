"""What may be chosen about asking for vectors, with the reasons for the defaults."""

import re
from dataclasses import dataclass, fields
from typing import Literal, Self, cast

from harness.errors import UsageError

Oversize = Literal["chunk", "truncate"]
"""What becomes of a text above the model's limit: overlapping fragments, of which the
best counts, or its beginning alone."""

MOST_TEXTS = 2048
"""Inputs that the protocol allows a request."""


MODEL_TOKENS = 8192
"""Tokens that most embedding models of today read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingOptions:
    """How to ask; tokens are those of `harness.provider.batches.tokens`.

    Attributes:
        tokens_per_text: The model's limit. Above it *oversize* says what happens.
        oversize: The rule for texts above the limit.
        texts_per_request: Most texts in one request, 2048 at most.
        tokens_per_request: Most tokens in one request; a text over it travels alone.
            Endpoints refuse from 300,000 on; far smaller requests go side by side.
        in_flight: Requests at the same time.
        timeout_s: Most seconds for one attempt, to its last byte. Long, as a model
            without a graphics card takes minutes for a full request.

    Raises:
        UsageError: A number is not above 0, or more texts than a request may carry.
    """

    tokens_per_text: int = MODEL_TOKENS
    oversize: Oversize = "chunk"
    texts_per_request: int = MOST_TEXTS
    tokens_per_request: int = 32_000
    in_flight: int = 4
    timeout_s: float = 300.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name != "oversize" and not value > 0:
                raise UsageError(f"{field.name} must be above 0, found {value!r}.")
        if self.texts_per_request > MOST_TEXTS:
            raise UsageError(
                f"texts_per_request is {self.texts_per_request}, and the protocol "
                f"allows {MOST_TEXTS}.",
                remedy=f"Give {MOST_TEXTS} or fewer.",
            )

    @property
    def rule(self) -> str:
        """The rule for texts above the model's limit, and the limit, as reports say."""
        return f"{self.oversize} above {self.tokens_per_text} tokens"

    @classmethod
    def of_rule(cls, rule: str) -> Self:
        """Return the options that have this rule, the others as they are by default.

        Raises:
            UsageError: It is no such rule.
        """
        match = _RULE.fullmatch(rule)
        if match is None:
            raise UsageError(f"{rule!r} is no rule for texts that are too long.")
        oversize, limit = match.groups()
        return cls(oversize=cast("Oversize", oversize), tokens_per_text=int(limit))


_RULE = re.compile(r"(chunk|truncate) above (\d+) tokens")
