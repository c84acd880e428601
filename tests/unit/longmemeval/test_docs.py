"""The page on LongMemEval names tests that are there, and a test for every report."""

import re

from tests.datafiles import ROOT

PAGE = ROOT / "docs" / "longmemeval.md"
REPORTS = 30
"""Public bug reports that were gone through."""


def rows() -> dict[int, list[str]]:
    """Return the tests that each bug report's row names."""
    _, table = PAGE.read_text("utf-8").split("## What others ran into")
    lines = table.splitlines()
    found = (re.match(r"\| (\d+) \|", line) for line in lines)
    return {
        int(match[1]): re.findall(r"`(test_\w+)`", match.string)
        for match in found
        if match
    }


def names_there() -> set[str]:
    """Return the name of every test function of the harness."""
    sources = (path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    return {
        name for text in sources for name in re.findall(r"^def (test_\w+)", text, re.M)
    }


def test_every_report_has_a_row_and_every_row_a_test() -> None:
    found = rows()
    assert sorted(found) == list(range(1, REPORTS + 1))
    assert [number for number, tests in found.items() if not tests] == []


def test_every_test_that_is_named_is_there() -> None:
    named = {name for tests in rows().values() for name in tests}
    assert named - names_there() == set()
