"""What a string must be to serve as a label, a name in the palace, or a text."""

import unicodedata
import uuid

from harness.dataset.filler import FILLER_PREFIX
from harness.dataset.place import Place, shown

UNKNOWN_PREFIX = "unknown:"
"""Start of the ids that a report gives to drawers nobody seeded."""

LONGEST_LABEL = 255
"""Characters of an id, a name, a category or an entity: more is a text."""

LONGEST_KIND = 64
"""Characters of an entity's kind, as the daemon takes them."""

LARGEST_TEXT = 1 << 20
"""UTF-8 bytes of one content or query text, as the daemon takes them."""


def check_label(text: str, place: Place, *, longest: int = LONGEST_LABEL) -> None:
    """Refuse a label that is blank, too long, or that cannot be told from another.

    White space at the ends and control characters do not show in a table, and
    daemons trim or refuse them.
    """
    if not text.strip():
        raise place.refuse(f"{shown(text)} is blank.", "Give it a visible name.")
    if text != text.strip():
        raise place.refuse(
            f"{shown(text)} starts or ends with white space.", "Take it away."
        )
    for character in text:
        if unicodedata.category(character) == "Cc":
            raise place.refuse(
                f"{shown(text)} holds the control character {character!r}.",
                "Take it away.",
            )
    if len(text) > longest:
        raise place.refuse(
            f"{shown(text)} has {len(text)} characters.", f"Use at most {longest}."
        )


def check_kind(text: str, place: Place) -> None:
    """Refuse the kind of an entity that is no label, or longer than a word or two.

    Daemons lower-case a kind before they measure it, and that can lengthen it.
    """
    check_label(text, place, longest=LONGEST_KIND)
    check_label(text.lower(), place, longest=LONGEST_KIND)


def check_id(text: str, place: Place) -> None:
    """Refuse a document id that is no label, or that the harness itself gives out."""
    check_label(text, place)
    for prefix in (FILLER_PREFIX, UNKNOWN_PREFIX):
        if text.startswith(prefix):
            raise place.refuse(
                f"{shown(text)} starts with {prefix!r}, which the harness keeps for "
                "its own ids.",
                "Choose another id.",
            )


def check_name(text: str, place: Place) -> None:
    """Refuse the name of a wing or room that a daemon could not address.

    Names stand in paths of URLs, beside UUIDs, so neither a path nor a UUID will do.
    """
    check_label(text, place)
    if "/" in text or text in {".", ".."}:
        raise place.refuse(
            f"{shown(text)} is a path or part of one, and names stand in URLs.",
            "Choose a name without '/' that is not '.' or '..'.",
        )
    if _is_uuid(text):
        raise place.refuse(
            f"{shown(text)} looks like a UUID, and daemons take it for one.",
            "Choose another name.",
        )


def check_text(text: str, place: Place) -> None:
    """Refuse a content or query that is blank, too large, or holds U+0000."""
    if not text.strip():
        raise place.refuse(f"{shown(text)} is blank.", "Write a text, or leave it out.")
    if "\0" in text:
        raise place.refuse(
            f"{shown(text)} holds U+0000, which Postgres cannot store.",
            "Take it away.",
        )
    size = len(text.encode())
    if size > LARGEST_TEXT:
        raise place.refuse(
            f"{shown(text)} has {size:,} bytes, wanted at most {LARGEST_TEXT:,}.",
            "Split it.",
        )


def _is_uuid(text: str) -> bool:
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return True
