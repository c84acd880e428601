"""What a wing, a room or a drawer may be called, and how ids are read."""

from __future__ import annotations

import unicodedata
import uuid

from palace.errors import InvalidInput

# Long enough for any title; a cap keeps an index entry within a Postgres page.
_MAX_NAME = 512


def checked_name(field: str, name: str) -> str:
    """Return *name* when it may name a wing, a room or (there `/` may stand) a drawer.

    Raises:
        InvalidInput: Empty, edged by white space, with a control character or a `/`,
            too long, or shaped like an id (which would make a path ambiguous).
    """
    if not name:
        raise InvalidInput(field, "a name cannot be empty")
    if name != name.strip():
        raise InvalidInput(field, f"{name!r} begins or ends with white space")
    if "/" in name and field != "name":
        raise InvalidInput(field, f"{name!r} contains '/'")
    # What is printable holds none, and is told at once.
    if not name.isprintable() and any(
        unicodedata.category(letter) in ("Cc", "Cs") for letter in name
    ):
        raise InvalidInput(field, f"{name!r} contains a control character")
    if len(name) > _MAX_NAME:
        raise InvalidInput(field, f"a name has at most {_MAX_NAME} characters")
    if as_id(name) is not None:
        raise InvalidInput(field, f"{name!r} looks like an id")
    return name


def checked_content(content: str) -> str:
    """Return *content* when it can be stored.

    Raises:
        InvalidInput: Blank, or with a NUL or a lone surrogate, which Postgres' text
            cannot hold.
    """
    if not content.strip():
        raise InvalidInput("content", "a drawer cannot be blank")
    return checked_text("content", content)


def checked_text(field: str, text: str) -> str:
    """Return *text* when Postgres can hold it: no NUL, no lone surrogate."""
    if "\x00" in text:
        raise InvalidInput(field, "a NUL character cannot be stored")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidInput(field, "a lone surrogate is not text") from None
    return text


def as_id(text: str) -> uuid.UUID | None:
    """Return *text* as an id, or None when it is not shaped like one."""
    if len(text) not in (32, 36):
        return None
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def checked_id(text: str, field: str = "id") -> uuid.UUID:
    """Return *text* as an id.

    Raises:
        InvalidInput: Not a UUID.
    """
    found = as_id(text)
    if found is None:
        raise InvalidInput(field, f"{text!r} is not a UUID")
    return found
