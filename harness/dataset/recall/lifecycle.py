"""What becomes of a search when documents are repeated, rewritten and deleted.

The three changes are made one after the other, and after each its own queries are
asked. A query for what a document no longer says, or for a deleted one, has five
answers that score less than the old text did: if that text is still found, one of the
five is pushed off the first five places.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.dataset.recall.lifecycle_texts import (
    DELETED,
    NOTICES,
    REWRITINGS,
    REWRITTEN,
    Theme,
)
from harness.dataset.recall.long_documents import long_documents_slice
from harness.dataset.recall.model import RecallDocument, RecallQuery

__all__ = ["LifecycleSlice", "lifecycle_slice", "long_documents_slice"]


@dataclass(frozen=True, slots=True)
class LifecycleSlice:
    """Documents to write, then three changes, each with the queries to ask after it.

    Changes add up: what is asked after the updates is asked with the copies in place.
    """

    name: str
    documents: tuple[RecallDocument, ...]
    """In the order they are to be written."""
    duplicates: tuple[RecallDocument, ...]
    """To be written next: `repeats`, then `copies`."""
    updates: tuple[RecallDocument, ...]
    """Documents by id, with the text that replaces theirs."""
    deletes: tuple[str, ...]
    """Ids of documents to delete."""
    after_duplicates: tuple[RecallQuery, ...]
    after_updates: tuple[RecallQuery, ...]
    after_deletes: tuple[RecallQuery, ...]

    @property
    def repeats(self) -> tuple[RecallDocument, ...]:
        """Duplicates that are stored already, name and text: no document is added."""
        known = {document.id for document in self.documents}
        return tuple(each for each in self.duplicates if each.id in known)

    @property
    def copies(self) -> tuple[RecallDocument, ...]:
        """Duplicates with a stored text under another name: each is one document more.

        They have ids of their own, and answer what their original answers.
        """
        known = {document.id for document in self.documents}
        return tuple(each for each in self.duplicates if each.id not in known)


def lifecycle_slice() -> LifecycleSlice:
    """Make the slice: 46 documents, 12 duplicates, five updates and five deletes.

    One of the copies is updated, and two originals are deleted: neither may touch the
    documents that say the same.
    """
    notices = _notices("notice")
    copies = (*_notices("copy-a"), *_notices("copy-b"))
    rewritten = [document.id for document in _nearest("rewritten", REWRITTEN)]
    deleted = [document.id for document in _nearest("deleted", DELETED)]
    updates = [
        RecallDocument(identity, rewriting.text)
        for identity, rewriting in zip(rewritten, REWRITINGS, strict=True)
    ]
    return LifecycleSlice(
        "lifecycle",
        (
            *notices,
            *_nearest("rewritten", REWRITTEN),
            *_others("rewritten", REWRITTEN),
            *_nearest("deleted", DELETED),
            *_others("deleted", DELETED),
        ),
        duplicates=(*notices, *copies),
        updates=(*updates, RecallDocument("copy-b-0", "the desk lamp is dusty")),
        deletes=(*deleted, "notice-0", "notice-1"),
        after_duplicates=tuple(
            _noticed(number, ("notice", "copy-a", "copy-b"))
            for number in range(len(NOTICES))
        ),
        after_updates=(
            *_gone("rewritten", REWRITTEN),
            *(
                RecallQuery(f"new-query-{number}", rewriting.query, (identity,), "new")
                for number, (identity, rewriting) in enumerate(
                    zip(rewritten, REWRITINGS, strict=True)
                )
            ),
            _noticed(0, ("notice", "copy-a"), absent="copy-b"),
        ),
        after_deletes=(
            *_gone("deleted", DELETED),
            _noticed(0, ("copy-a",), absent="notice"),
            _noticed(1, ("copy-a", "copy-b"), absent="notice"),
        ),
    )


def _notices(name: str) -> tuple[RecallDocument, ...]:
    return tuple(
        RecallDocument(f"{name}-{number}", text)
        for number, (_, text) in enumerate(NOTICES)
    )


def _noticed(
    number: int, relevant: Sequence[str], *, absent: str | None = None
) -> RecallQuery:
    return RecallQuery(
        f"notice-query-{number}",
        NOTICES[number][0],
        tuple(f"{name}-{number}" for name in relevant),
        "copies",
        (f"{absent}-{number}",) if absent else (),
    )


def _nearest(name: str, themes: Sequence[Theme]) -> tuple[RecallDocument, ...]:
    return tuple(
        RecallDocument(f"{name}-{number}", theme.nearest)
        for number, theme in enumerate(themes)
    )


def _others(name: str, themes: Sequence[Theme]) -> tuple[RecallDocument, ...]:
    return tuple(
        RecallDocument(f"{name}-{number}-{place}", text)
        for number, theme in enumerate(themes)
        for place, text in enumerate(theme.others)
    )


def _gone(name: str, themes: Sequence[Theme]) -> tuple[RecallQuery, ...]:
    """Ask for what the nearest note of each theme said."""
    return tuple(
        RecallQuery(
            f"{name}-query-{number}",
            theme.query,
            tuple(f"{name}-{number}-{place}" for place in range(len(theme.others))),
            name,
            (f"{name}-{number}",),
        )
        for number, theme in enumerate(themes)
    )
