"""Text out of a file, made fit to be looked at: nothing in it can hide or reorder."""

ELLIPSIS = "…"


def visible(value: object) -> str:
    """Write *value* with everything invisible as an escape.

    Control characters, line ends, and the marks that turn the direction of text or
    join it without a trace come out as backslash escapes. Letters of every script and
    emoji stay.
    """
    return "".join(
        character if character.isprintable() else _escaped(character)
        for character in str(value)
    )


def shortened(text: str, width: int) -> str:
    """Cut *text* to *width* characters, the last one an ellipsis where it was cut."""
    return text if len(text) <= width else f"{text[: width - 1]}{ELLIPSIS}"


def _escaped(character: str) -> str:
    if "\ud800" <= character <= "\udfff":
        return f"\\u{ord(character):04x}"
    return character.encode("unicode_escape").decode("ascii")
