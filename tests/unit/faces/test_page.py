"""A page asks for nothing, and what it holds cannot leave its place."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

from harness.report.faces.html import report_page
from harness.report.faces.page import page
from tests.face_reports import a_hostile_report, an_eval_report


class Reader(HTMLParser):
    """Notes every element with its attributes, and the text of those asked for."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {"script": [], "style": []}
        self._inside: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag if tag in self.texts else None

    def handle_endtag(self, tag: str) -> None:
        if tag == self._inside:
            self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside is not None:
            self.texts[self._inside].append(data)


def read(made: bytes) -> Reader:
    """Read a page as a browser's parser would."""
    reader = Reader()
    reader.feed(made.decode())
    return reader


@pytest.mark.parametrize(
    "made", [report_page([an_eval_report()]), report_page([a_hostile_report()])]
)
def test_nothing_on_a_page_names_another_place(made: bytes) -> None:
    reader = read(made)

    names = {name for name, _ in reader.elements}
    assert names.isdisjoint(
        {"img", "link", "iframe", "object", "embed", "form", "base"}
    )
    for _, attributes in reader.elements:
        assert not [key for key in attributes if key.startswith("on")]
        assert "src" not in attributes
        assert "style" not in attributes
        assert (attributes.get("href") or "#").startswith("#")


def test_the_policy_allows_the_page_its_own_style_and_script_only() -> None:
    reader = read(report_page([an_eval_report()]))

    policy = next(
        attributes["content"] or ""
        for name, attributes in reader.elements
        if name == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    _, script = reader.texts["script"]
    wanted = [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (reader.texts["style"][0], script)
    ]
    assert policy.startswith("default-src 'none'; ")
    assert re.findall(r"sha256-([\w+/=]+)", policy) == wanted
    assert "unsafe" not in policy


def test_a_hostile_report_adds_no_element() -> None:
    reader = read(report_page([a_hostile_report()]))

    scripts = [attributes for name, attributes in reader.elements if name == "script"]
    assert len(scripts) == 2
    assert json.loads(reader.texts["script"][0])["queries"]["rows"]


def test_data_cannot_end_its_element() -> None:
    made = page("t", data={"text": "</script><!--<script>&\u2028"}).decode()

    held = made.partition('id="data">')[2].partition("</script>")[0]
    assert "<" not in held
    assert json.loads(held) == {"text": "</script><!--<script>&\u2028"}


def test_the_same_report_makes_the_same_page() -> None:
    assert report_page([an_eval_report()]) == report_page([an_eval_report()])


def test_a_figure_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        page("t", data={"x": float("nan")})
