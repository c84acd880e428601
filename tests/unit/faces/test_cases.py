"""What was judged, as cases, JUnit XML and SARIF."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from harness.judge.baseline import make_baseline
from harness.judge.comparable import from_report
from harness.judge.compare import compare
from harness.judge.discrimination import with_discrimination
from harness.judge.faces.cases import gate_cases, judgement_cases
from harness.judge.gate import gate
from harness.judge.statistics.policy import POLICIES, Policy, judge
from harness.report.faces.cases import RULES, Case, report_cases
from harness.report.faces.junit import junit_xml
from harness.report.faces.sarif import MAX_RESULTS, sarif_json
from harness.report.longmemeval import QuestionError
from harness.report.model import Report
from tests.builders import a_report, some_invariants
from tests.face_reports import (
    HOSTILE,
    a_hostile_report,
    a_judged_recall_report,
    a_longmemeval_report,
    an_eval_report,
)

FAILED = Case("group", "name", "regression", "failed", "what\nand where", "do this")
PASSED = Case("group", "other", "regression", "passed")
SKIPPED = Case("more", "name", "regression", "skipped", "why")


def sarif_of(*cases: Case, file: str = "reports/a.json") -> Any:
    """Write cases and read them back, the required fields checked."""
    log = json.loads(sarif_json(cases, file=Path(file), exit_code=1))
    check_sarif(log)
    return log


def check_sarif(log: object) -> None:
    """Hold *log* against what the public schema requires of the parts used here.

    The names and rules are those of the OASIS schema for SARIF 2.1.0: what it lists as
    required, the closed sets of values, and that no unknown property occurs.
    """
    assert isinstance(log, dict)
    assert set(log) <= {"$schema", "version", "runs"}
    assert log["version"] == "2.1.0"
    for run in log["runs"]:
        assert set(run) <= {"tool", "invocations", "columnKind", "results"}
        driver = run["tool"]["driver"]
        assert isinstance(driver["name"], str)
        assert set(driver) <= {"name", "semanticVersion", "rules"}
        ids = [rule["id"] for rule in driver["rules"]]
        assert len(set(ids)) == len(ids)
        for rule in driver["rules"]:
            assert isinstance(rule["shortDescription"]["text"], str)
            assert rule["defaultConfiguration"]["level"] in LEVELS
        for invocation in run["invocations"]:
            assert isinstance(invocation["executionSuccessful"], bool)
        assert run["columnKind"] in {"utf16CodeUnits", "unicodeCodePoints"}
        for result in run["results"]:
            assert ids[result["ruleIndex"]] == result["ruleId"]
            assert result["level"] in LEVELS
            assert isinstance(result["message"]["text"], str)
            for location in result["locations"]:
                place = location["physicalLocation"]
                assert place["artifactLocation"]["uri"].isascii()
                assert " " not in place["artifactLocation"]["uri"]
                assert place["region"]["startLine"] >= 1
            for value in result["partialFingerprints"].values():
                assert isinstance(value, str)


LEVELS = {"none", "note", "warning", "error"}


def test_each_group_is_a_suite_and_each_case_counts() -> None:
    root = ElementTree.fromstring(junit_xml("gate", [FAILED, PASSED, SKIPPED]))

    counts = {"tests": "3", "failures": "1", "errors": "0", "skipped": "1"}
    assert root.attrib == {"name": "gate", **counts}
    assert [suite.attrib["name"] for suite in root] == ["group", "more"]
    assert [suite.attrib["tests"] for suite in root] == ["2", "1"]


def test_a_failure_tells_what_where_and_what_to_do() -> None:
    root = ElementTree.fromstring(junit_xml("gate", [FAILED]))

    failure = root.find(".//failure")
    assert failure is not None
    assert failure.attrib == {"type": "regression", "message": "what"}
    assert failure.text == "what\nand where\ndo this"


def test_nothing_judged_is_a_failure() -> None:
    root = ElementTree.fromstring(junit_xml("gate", []))

    assert root.attrib["failures"] == "1"


def test_only_what_failed_is_a_result() -> None:
    log = sarif_of(FAILED, PASSED, SKIPPED)

    run = log["runs"][0]
    assert [result["ruleId"] for result in run["results"]] == ["regression"]
    assert run["results"][0]["message"]["text"] == (
        "group, name: what\nand where\ndo this"
    )
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 1}]


def test_a_finding_keeps_its_fingerprint_when_its_figures_move() -> None:
    later = Case("group", "name", "regression", "failed", "other figures")

    one, other = (
        sarif_of(case)["runs"][0]["results"][0]["partialFingerprints"]
        for case in (FAILED, later)
    )
    assert one == other


def test_a_file_outside_the_working_folder_is_named_without_its_path() -> None:
    log = sarif_of(FAILED, file="/somewhere/secret/a report.json")

    assert "secret" not in json.dumps(log)
    assert "a%20report.json" in json.dumps(log)


def test_too_many_findings_are_counted() -> None:
    cases = [
        Case("group", f"{number}", "regression", "failed", "x")
        for number in range(MAX_RESULTS + 3)
    ]

    results = sarif_of(*cases)["runs"][0]["results"]

    assert len(results) == MAX_RESULTS
    assert "3 more findings" in results[-1]["message"]["text"]


def test_hostile_names_make_no_broken_file() -> None:
    cases = report_cases(a_hostile_report())

    root = ElementTree.fromstring(junit_xml(HOSTILE[2], cases))
    log = sarif_of(*cases, file=f"{HOSTILE[2][:20]}.json".replace("\n", ""))

    assert root.attrib["failures"] == "2"
    assert len(log["runs"][0]["results"]) == 2
    assert not [each for each in root.iter() if each.tag == "script"]


def test_every_invariant_and_check_is_a_case() -> None:
    report = an_eval_report()

    cases = report_cases(report)

    assert [(case.group, case.name, case.outcome) for case in cases] == [
        ("invariants", "known", "passed"),
        ("invariants", "in_scope", "passed"),
        ("invariants", "visible", "passed"),
        ("invariants", "repeatable", "passed"),
        ("told apart", "told apart by recall@5", "passed"),
    ]


def test_an_invariant_that_saw_no_hit_is_not_passed() -> None:
    report = a_report(invariants=some_invariants(checked=0))

    assert {case.outcome for case in report_cases(report)} == {"skipped"}


def test_a_failed_check_says_what_it_wanted() -> None:
    report = a_judged_recall_report()

    failed = [case for case in report_cases(report) if case.outcome == "failed"]

    assert "document-hybrid.recall@5" in [case.name for case in failed]
    assert "must be 0.95" in " ".join(case.text for case in failed)
    assert len(report_cases(report)) >= len(report.checks)


def test_a_question_that_failed_is_a_failed_case(tmp_path: Path) -> None:
    report = a_longmemeval_report(tmp_path)
    facts = report.longmemeval
    assert facts is not None
    error = {
        "question": "q1",
        "stage": "search",
        "configuration": "lexical",
        "what": "the daemon answered 500.",
    }
    damaged = facts.model_copy(update={"errors": (error_of(error),)})

    cases = report_cases(report.model_copy(update={"longmemeval": damaged}))

    assert [case.name for case in cases if case.outcome == "failed"] == [
        "q1, search (lexical)"
    ]


def error_of(fields: dict[str, str]) -> object:
    """Build one error of a question."""
    return QuestionError.model_validate(fields)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("shift", [0.0, -0.25, 0.1])
def test_cases_of_a_comparison_fail_exactly_where_its_policy_does(
    policy: Policy, shift: float
) -> None:
    judgement = judge(
        compare(
            from_report(an_eval_report(queries=8)),
            from_report(an_eval_report(queries=8, shift=shift)),
        ),
        policy,
    )

    cases = judgement_cases(judgement)

    failed = [case for case in cases if case.outcome == "failed"]
    assert bool(failed) == bool(int(judgement.exit_code))
    metrics = [case for case in cases if case.rule == "regression"]
    assert len(metrics) == len(judgement.comparison.changes)
    assert len({(case.group, case.name) for case in cases}) == len(cases)


def test_two_sides_that_do_not_compare_are_a_failed_case() -> None:
    other = an_eval_report().model_copy(
        update={
            "environment": an_eval_report().environment.model_copy(
                update={"vectors": "others"}
            )
        }
    )

    cases = judgement_cases(
        judge(compare(from_report(an_eval_report()), from_report(other)))
    )

    assert [case.rule for case in cases if case.outcome == "failed"] == [
        "not-comparable"
    ]


def gate_of(report: Report, accepted: Report) -> tuple[Case, ...]:
    """Put *report* before the gate that *accepted* is the baseline of."""
    verdict = gate(report, make_baseline(accepted))
    cases = gate_cases(verdict, report)
    failed = [case for case in cases if case.outcome == "failed"]
    findings = [finding for finding in verdict.findings if finding.fails]
    assert len(failed) == len(findings)
    return cases


def test_the_gate_has_a_failed_case_for_each_failing_finding() -> None:
    sound = with_discrimination(an_eval_report())
    worse = with_discrimination(an_eval_report(shift=-0.25))

    cases = gate_of(worse, sound)

    failed = {case.rule for case in cases if case.outcome == "failed"}
    assert "regression" in failed
    assert failed <= set(RULES)
