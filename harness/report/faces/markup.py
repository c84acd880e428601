"""HTML and SVG built from values, so that text can become markup in one place only.

Whatever is a plain ``str`` is text: it is made visible and escaped. Only what these
functions return, or the page's own parts, is ``Markup``.
"""

from collections.abc import Iterable
from html import escape
from typing import TypeAlias

from harness.report.faces.visible import visible

VOID = frozenset({"br", "col", "hr", "input", "link", "meta"})


class Markup(str):
    """Text that is markup already. Never make one of anything read from a file."""

    __slots__ = ()


Content: TypeAlias = "str | Iterable[str] | None"
Attribute: TypeAlias = str | float | bool | None


def tag(name: str, /, *content: Content, **attributes: Attribute) -> Markup:
    """Build an element.

    Args:
        name: Of the element.
        content: Text, markup, or several of them; ``None`` is left out.
        attributes: ``class_`` is ``class`` and ``data_x`` is ``data-x``. ``None`` and
            ``False`` leave an attribute out; ``True`` gives it no value.

    >>> tag("b", "<i>", title='"')
    '<b title="&quot;">&lt;i&gt;</b>'
    """
    written = "".join(_attribute(*each) for each in attributes.items())
    if name in VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{joined(*content)}</{name}>")


def joined(*content: Content) -> Markup:
    """Put *content* side by side, its text escaped."""
    return Markup("".join(map(_content, content)))


def name(text: object, class_: str | None = None) -> Markup:
    """Set a name out of a file apart, so that its script cannot turn its neighbours."""
    return tag("bdi", str(text), class_=class_)


def _content(part: Content) -> str:
    if part is None:
        return ""
    if isinstance(part, Markup):
        return part
    if isinstance(part, str):
        return escape(visible(part), quote=True)
    return "".join(map(_content, part))


def _attribute(key: str, value: Attribute) -> str:
    word = key.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return ""
    if value is True:
        return f" {word}"
    text = f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value
    return f' {word}="{escape(visible(text), quote=True)}"'
