"""What an embeddings endpoint, or the cache of its vectors, can do to a run.

    ProviderError               these texts; the next ones may fare better
    |- ProviderAnswerError      it answered what the protocol does not allow
    '- TextsRefusedError        no vector for some texts; all the others have theirs
    PrerequisiteError           no text any more, until a person mends it
    |- ProviderAwayError        not reached, or busy for longer than we are patient
    |- ProviderRefusedError     it said no: the key, the model, the request
    |- DimensionError           vectors of another length than was configured
    '- CacheError               the vectors kept on disk cannot be used

All end a run with 69. No message holds the key, and no exception of the HTTP library
is kept as a cause: the frames of those hold the request, and with it the key.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.errors import PrerequisiteError, ProviderError

SHOWN = 3
"""Texts that a message names; the rest is counted."""


class ProviderAnswerError(ProviderError):
    """The endpoint answered something from which no vector may be taken."""


class ProviderAwayError(PrerequisiteError):
    """The endpoint cannot be reached, or stayed busy or broken through every retry."""


class ProviderRefusedError(PrerequisiteError):
    """The endpoint will not serve such a request, however often it is asked."""


class DimensionError(PrerequisiteError):
    """The endpoint's vectors have another length than the run was told."""


class CacheError(PrerequisiteError):
    """The file that keeps vectors is damaged, foreign, or cannot be written."""


@dataclass(frozen=True, slots=True)
class RefusedText:
    """A text for which the endpoint has no usable vector.

    Attributes:
        sha256: Of the text's UTF-8, in hexadecimal; names it without repeating it.
        reason: What came instead of a vector.
    """

    sha256: str
    reason: str


class TextsRefusedError(ProviderError):
    """Some texts have no usable vector; every other text of the call was embedded.

    Args:
        refused: Those texts, at least one.
        where: The endpoint.
        documents: Places, in the call, of the documents that have no vector for it.
    """

    def __init__(
        self,
        refused: Sequence[RefusedText],
        *,
        where: str,
        documents: Sequence[int] = (),
    ) -> None:
        self.refused = tuple(refused)
        self.documents = tuple(documents)
        named = "; ".join(
            f"text with SHA-256 {each.sha256}: {each.reason}"
            for each in self.refused[:SHOWN]
        )
        more = len(self.refused) - SHOWN
        named += f"; and {more} more" if more > 0 else ""
        texts = "1 text" if len(refused) == 1 else f"{len(refused)} texts"
        super().__init__(
            f"no usable vector for {texts} ({named}).",
            where=where,
            remedy="Vectors of all other texts are kept in the cache, if there is "
            "one. Mend the endpoint or its model, then start again.",
        )
