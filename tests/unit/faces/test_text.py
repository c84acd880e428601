"""Text out of a file stays text, in HTML and in Markdown."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from harness.report.faces.flavour import (
    Markdown,
    code,
    document,
    folded,
    lines,
    prose,
    table,
)
from harness.report.faces.markup import joined, name, tag
from harness.report.faces.visible import shortened, visible
from tests.face_reports import HOSTILE

GITHUB = MarkdownIt("commonmark").enable("table").enable("strikethrough")


def tokens_of(text: str) -> list[str]:
    """Name everything that a reader of GitHub's Markdown sees in *text*."""
    return [
        child.type
        for token in GITHUB.parse(text)
        for child in (token.children or [token])
    ]


def shown_in(text: str) -> str:
    """Give the words that a reader would read."""
    return "".join(
        child.content for token in GITHUB.parse(text) for child in token.children or []
    )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("plain é 中 🚀", "plain é 中 🚀"),
        ("a\nb\t\x00", r"a\nb\t\x00"),
        ("\u202eevil", r"\u202eevil"),
        ("\u200b\ufeff", r"\u200b\ufeff"),
        ("\ud800", r"\ud800"),
    ],
)
def test_what_cannot_be_seen_is_escaped(text: str, wanted: str) -> None:
    assert visible(text) == wanted


def test_a_short_text_is_not_cut() -> None:
    assert [shortened("abcd", 4), shortened("abcde", 4)] == ["abcd", "abc…"]


def test_text_becomes_markup_in_no_place_of_an_element() -> None:
    got = tag("p", "<b>&", joined("'\""), title='"><script>')

    assert got == ('<p title="&quot;&gt;&lt;script&gt;">&lt;b&gt;&amp;&#x27;&quot;</p>')


def test_attributes_without_a_value_are_left_out() -> None:
    got = tag("td", class_=None, hidden=False, open=True, data_x="1", x=2.5)

    assert got == '<td open data-x="1" x="2.5"></td>'


def test_markup_is_not_escaped_again() -> None:
    assert tag("p", tag("b", "a"), [name("b")]) == "<p><b>a</b><bdi>b</bdi></p>"


@pytest.mark.parametrize("text", [*HOSTILE, "`", "``a`", " ", "", "a`b|c", "|"])
def test_a_name_in_a_table_is_one_code_span(text: str) -> None:
    made = document([table("t", ["name"], ["figure"], [[code(text), "1"]])]).decode()

    rows = [token for token in GITHUB.parse(made) if token.type == "tbody_open"]
    cells = [
        [child.type for child in token.children or []]
        for token in GITHUB.parse(made)
        if token.type == "inline"
    ]
    assert len(rows) == 1
    assert cells[2:] == [["code_inline"], ["text"]]


@given(st.text(max_size=60))
def test_a_code_span_shows_its_text(text: str) -> None:
    found = [
        child
        for token in GITHUB.parse(f"x {code(text)} y")
        for child in token.children or []
    ]

    assert [child.type for child in found] == ["text", "code_inline", "text"]
    assert found[1].content.strip() == visible(text).strip()


@given(st.text(max_size=60))
def test_prose_is_read_as_it_was_written(text: str) -> None:
    found = GITHUB.parse(f"x {prose(text)} y")

    kinds = {child.type for token in found for child in token.children or []}
    assert kinds <= {"text", "text_special"}
    read = shown_in(f"x {prose(text)} y").replace("\u200b", "")
    assert read == f"x {visible(text)} y".replace("\u200b", "")


@pytest.mark.parametrize(
    "text", ["@octocat", "(@octocat)", "see #12", "a@b.c", "cc @a/b", "x@y"]
)
def test_nobody_is_mentioned(text: str) -> None:
    read = shown_in(prose(text))

    assert not re.search(r"[@#]\w", read)


def test_the_name_of_a_metric_stays_whole() -> None:
    assert prose("recall@10, ndcg@5.") == "recall@10, ndcg@5."


@pytest.mark.parametrize("text", ["http://a.invalid", "www.a.invalid", "HTTPS://b"])
def test_an_address_is_no_link(text: str) -> None:
    # GitHub links a bare address where its colon or dot is not escaped.
    assert "\\" in prose(text)


def test_what_does_not_fit_is_named() -> None:
    rows = [[code(f"q{number}"), "0.5"] for number in range(500)]
    blocks = [
        lines("title", "### Title"),
        table("queries", ["query"], ["ndcg"], rows),
        folded("The rest", lines("rest", "x" * 900)),
    ]

    made = document(blocks, limit=3000)

    assert len(made) <= 3000
    text = made.decode()
    kept = text.count("| `q")
    assert 0 < kept < 500
    assert f"_{500 - kept} more rows are in the report._" in text
    assert "_Left out for size: The rest._" in text


def test_nothing_is_said_to_be_missing_where_all_fits() -> None:
    made = document([lines("title", "### Title"), lines("more", "text")])

    assert made == b"### Title\n\ntext\n"


def test_plain_text_in_a_table_is_escaped_and_markdown_is_not() -> None:
    made = document([table("t", ["a"], ["b"], [["<b>", Markdown("**1**")]])])

    assert "| \\<b\\> | **1** |" in made.decode()


def test_a_folded_table_stays_a_table() -> None:
    made = document([folded("More", table("t", ["a"], [], [["x"]]))]).decode()

    assert "table_open" in tokens_of(made)
