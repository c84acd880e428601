"""What a reader is told first, of a report and of a verdict."""

from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.judge.baseline import make_baseline
from harness.judge.comparable import from_report
from harness.judge.compare import compare
from harness.judge.faces.markdown import gate_markdown, judgement_markdown
from harness.judge.faces.standing import (
    gate_standings,
    judgement_standings,
    judgement_title,
)
from harness.judge.gate import gate
from harness.judge.statistics.policy import judge
from harness.report.faces.html import report_page
from harness.report.faces.markdown import report_markdown
from harness.report.faces.standing import headline, standings
from tests.builders import (
    a_caution,
    a_configuration,
    a_latency,
    a_report,
    a_violation,
    some_invariants,
    some_metrics,
)
from tests.face_reports import (
    a_judged_recall_report,
    a_longmemeval_report,
    an_eval_report,
)


def test_the_headline_names_the_best_and_the_fastest() -> None:
    report = a_report(
        a_configuration(metrics=some_metrics(0.5), latency=a_latency(1.25)),
        a_configuration("hybrid", metrics=some_metrics(0.75), latency=a_latency(4.0)),
    )

    assert headline(report) == (
        "Over 2 queries, hybrid ranks best: ndcg@10 0.750. "
        "lexical answers fastest: 1.25 ms at the median."
    )


def test_a_configuration_that_was_asked_less_is_not_called_best() -> None:
    report = a_report(
        a_configuration(metrics=some_metrics(0.5), queries=10),
        a_configuration("lexical+expand", metrics=some_metrics(1.0), queries=2),
    )

    assert headline(report) == "Over 10 queries, lexical ranks best: ndcg@10 0.500."


def test_equals_are_named_together() -> None:
    report = a_report(a_configuration(), a_configuration("semantic"))

    assert headline(report).startswith("Over 2 queries, lexical and semantic rank best")


def test_a_report_without_a_query_says_so() -> None:
    report = a_report(a_configuration(queries=0, metrics={}, by_category={}))

    assert headline(report) == "Nothing was measured."
    assert standings(report)[0].word == "Not measured."


def test_what_is_broken_stands_first() -> None:
    report = a_report(
        invariants=some_invariants(violations=[a_violation()]),
        warnings=(a_caution(),),
    )

    assert [(each.kind, each.word) for each in standings(report)] == [
        ("bad", "Invariants are broken."),
        ("warn", "Caution."),
    ]


def test_a_recall_tier_speaks_of_its_main_row() -> None:
    text = headline(a_judged_recall_report())

    assert text == (
        "Over 4 queries of 1,000 documents, document-hybrid has recall@5 0.500 and "
        "takes 3.00 ms at the median. Without the embedder, hybrid falls to 0.370."
    )


def test_a_failed_check_is_named() -> None:
    found = standings(a_judged_recall_report())

    assert found[0].word == "Checks fail."
    assert any("document-hybrid.recall@5" in line for line in found[0].lines)


def test_a_comparison_says_first_how_it_ended() -> None:
    comparison = compare(
        from_report(an_eval_report(queries=12)),
        from_report(an_eval_report(queries=12, shift=-0.25)),
    )

    titles = [
        judgement_title(judge(comparison, policy)) for policy in ("floor", "both")
    ]

    assert titles == ["Failed by the floor rule; statistics: worse", "Failed: worse"]
    words = [each.word for each in judgement_standings(judge(comparison, "both"))]
    assert words[:2] == ["Same.", "Worse."]


def test_markdown_begins_with_the_verdict() -> None:
    comparison = compare(
        from_report(an_eval_report()), from_report(an_eval_report(shift=-0.25))
    )

    text = judgement_markdown(judge(comparison)).decode()

    assert text.startswith("### ❌ Failed by the floor rule")
    assert "| `hybrid` | `overall` |" in text
    assert "<details><summary>" in text


def test_the_gate_lists_what_fails_before_what_was_looked_at() -> None:
    report = an_eval_report(shift=-0.25)
    verdict = gate(report, make_baseline(an_eval_report()))

    found = gate_standings(verdict)
    text = gate_markdown(verdict, report).decode()

    assert found[0].kind == "bad"
    assert [each.word for each in found][-1] == "Looked at."
    assert text.startswith("### ❌ Gate failed: ")


def test_each_suite_has_a_markdown_and_a_page(tmp_path: Path) -> None:
    reports = [
        an_eval_report(),
        a_judged_recall_report(),
        a_longmemeval_report(tmp_path),
    ]

    texts = [report_markdown(report).decode() for report in reports]
    pages = [report_page([report]).decode() for report in reports]

    assert [text.split(":")[0] for text in texts] == [
        "### Retrieval evaluation",
        "### Recall tier",
        "### LongMemEval",
    ]
    assert "| `hybrid` | 6 |" in texts[0]
    assert "`document-hybrid`" in texts[1]
    assert "gold" in texts[2]
    for page, wanted in zip(pages, ("Quality", "Faults", "Figures"), strict=True):
        assert f"<h2>{wanted}</h2>" in page


def test_a_whole_text_stays_below_what_github_takes() -> None:
    text = report_markdown(a_judged_recall_report(), limit=4000)

    assert len(text) <= 4000
    assert "more rows are in the report" in text.decode()


def test_sizes_join_reports_that_differ_in_size_alone() -> None:
    page = report_page([an_eval_report(), an_eval_report(filler=1000)]).decode()

    assert "<h2>Sizes</h2>" in page
    assert "hybrid, 1,012 drawers" in page


@pytest.mark.parametrize(
    ("filler", "changed", "word"),
    [
        (10, {"suite": "recall"}, "suite"),
        (0, {}, "two reports are of 12 documents"),
    ],
)
def test_reports_that_are_no_sizes_of_one_thing_are_refused(
    filler: int, changed: dict[str, object], word: str
) -> None:
    other = an_eval_report(filler=filler, changed=changed)

    with pytest.raises(UsageError, match=word):
        report_page([an_eval_report(), other])
