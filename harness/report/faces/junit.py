"""Cases as JUnit XML, which every CI system can list."""

from collections.abc import Sequence
from xml.etree import ElementTree

from harness.report.faces.cases import Case
from harness.report.faces.visible import visible

MAX_TEXT = 20_000
"""Characters of one failure's text; a viewer shows no more with any grace."""


def junit_xml(title: str, cases: Sequence[Case]) -> bytes:
    """Write *cases*, a test suite for each group, in their order.

    Without a single case there is one that failed: nothing judged is no pass.
    """
    judged = cases or (_NOTHING,)
    counts = {"name": visible(title), **_counts(judged)}
    root = ElementTree.Element("testsuites", counts)
    for group in dict.fromkeys(case.group for case in judged):
        members = [case for case in judged if case.group == group]
        counts = {"name": visible(group), **_counts(members)}
        suite = ElementTree.SubElement(root, "testsuite", counts)
        for case in members:
            _add(suite, case)
    ElementTree.indent(root)
    written: str = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{written}\n'.encode()


_NOTHING = Case(
    "judged", "anything", "nothing-compared", "failed", "nothing was judged"
)


def _add(suite: ElementTree.Element, case: Case) -> None:
    made = ElementTree.SubElement(
        suite, "testcase", classname=visible(case.group), name=visible(case.name)
    )
    if case.outcome == "skipped":
        ElementTree.SubElement(made, "skipped", message=visible(case.text))
    elif case.outcome == "failed":
        lines = [*case.text.split("\n"), case.remedy]
        # Line ends are ours; anything else that cannot be seen is not XML's either.
        text = "\n".join(visible(each) for each in lines if each)
        failure = ElementTree.SubElement(
            made, "failure", type=visible(case.rule), message=visible(lines[0])
        )
        failure.text = text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}\n..."


def _counts(cases: Sequence[Case]) -> dict[str, str]:
    outcomes = [case.outcome for case in cases]
    return {
        "tests": str(len(cases)),
        "failures": str(outcomes.count("failed")),
        "errors": "0",
        "skipped": str(outcomes.count("skipped")),
    }
