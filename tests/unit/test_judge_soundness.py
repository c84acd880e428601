"""Equal figures do not excuse a report that is broken inside."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import Console

from harness.cli import main
from harness.errors import ExitCode
from harness.judge.baseline import make_baseline
from harness.judge.comparable import Comparable, from_report, from_results
from harness.judge.compare import Comparison, compare
from harness.judge.faces.cases import judgement_cases
from harness.judge.faces.html import Sides, comparison_page
from harness.judge.faces.markdown import judgement_markdown
from harness.judge.gate import gate
from harness.judge.machine import comparison_json
from harness.judge.recall.baseline import candidate
from harness.judge.recall.checks import checked
from harness.judge.recall.results import Results
from harness.judge.statistics.policy import POLICIES, Policy, judge
from harness.judge.terminal import print_comparison
from harness.report.longmemeval import QuestionError
from harness.report.model import Report
from harness.report.store import save
from tests.builders import a_violation, some_invariants, some_parameters
from tests.face_reports import a_longmemeval_report, an_eval_report
from tests.recall_builders import (
    a_recall_report,
    an_accepted,
    the_budgets,
    with_facts,
    with_fault,
)

PASSED, FAILED, NOTHING = (
    ExitCode.PASSED,
    ExitCode.GATE_FAILED,
    ExitCode.NOTHING_MEASURED,
)

VIOLATION = (
    "invariant visible: lexical, query q1, rank 3, document d9: superseded in epoch 1, "
    "asked of the present"
)
EVERY = "in_scope, known, ran, repeatable, visible"
HIDDEN = {"invariants": some_invariants(violations=[a_violation()])}
"""A correction had replaced a document, and it came back all the same."""


def a_judged_report() -> Report:
    """Measure a recall tier on which every check was made, and holds."""
    return checked(a_recall_report(), the_budgets(), an_accepted())


def between(base: Report, new: Report) -> Comparison:
    return compare(from_report(base), from_report(new))


def with_failed_check(report: Report) -> Report:
    first, *others = report.checks
    failed = first.model_copy(update={"passed": False})
    return report.model_copy(update={"checks": (failed, *others)})


def without_faults(report: Report, kept: int) -> Report:
    assert report.recall is not None
    return with_facts(report, faults=report.recall.faults[:kept])


def with_invariants(report: Report, *, kept: int) -> Report:
    return report.model_copy(update={"invariants": report.invariants[:kept]})


def test_two_sound_eval_reports_pass() -> None:
    comparison = between(an_eval_report(), an_eval_report())

    assert comparison.broken == ()
    assert comparison.exit_code is PASSED


def test_two_sound_recall_reports_pass() -> None:
    report = a_judged_report()
    assert report.checks
    assert all(check.passed for check in report.checks)
    comparison = between(report, report)

    assert comparison.broken == ()
    assert comparison.exit_code is PASSED


def test_a_violated_invariant_is_broken() -> None:
    comparison = between(an_eval_report(), an_eval_report(changed=HIDDEN))

    assert comparison.broken == (VIOLATION,)
    assert comparison.exit_code is FAILED


def test_a_failed_check_is_broken() -> None:
    report = a_judged_report()
    comparison = between(report, with_failed_check(report))

    (text,) = comparison.broken
    assert text.startswith(f"check {report.checks[0].name}: ")
    assert "must be" in text
    assert comparison.exit_code is FAILED


@pytest.mark.parametrize(
    ("damaged", "statements"),
    [
        (
            lambda report: report.model_copy(update={"checks": ()}),
            ["checks: base has 3 checks, new has none"],
        ),
        (
            lambda report: with_invariants(report, kept=0),
            [f"invariants: base checked {EVERY}, new not on a single hit"],
        ),
        (
            lambda report: with_invariants(report, kept=3),
            ["invariants: base checked ran, new not on a single hit"],
        ),
        (
            lambda report: without_faults(report, 0),
            [
                "fault error in vector mode: measured in base, and not in new",
                "fault slow in hybrid mode: measured in base, and not in new",
            ],
        ),
        (
            lambda report: without_faults(report, 1),
            ["fault slow in hybrid mode: measured in base, and not in new"],
        ),
        (
            lambda report: with_fault(report, "slow", "hybrid", fault_recall=None),
            ["fault slow in hybrid mode: measured in base, and not in new"],
        ),
    ],
    ids=["no check", "no invariant", "fewer", "no fault", "one fault", "unmeasured"],
)
def test_what_base_looked_at_and_new_did_not_is_broken(
    damaged: Callable[[Report], Report], statements: list[str]
) -> None:
    report = a_small_tier()
    comparison = between(report, damaged(report))

    assert list(comparison.broken) == statements
    assert comparison.exit_code is FAILED
    assert between(damaged(report), report).exit_code is PASSED


def a_small_tier() -> Report:
    """Keep three checks, two faults and every invariant of a judged report."""
    report = a_judged_report()
    assert report.recall is not None
    wanted = [("error", "vector"), ("slow", "hybrid")]
    faults = tuple(
        fault for fault in report.recall.faults if (fault.fault, fault.mode) in wanted
    )
    fewer = report.model_copy(update={"checks": report.checks[:3]})
    return with_facts(fewer, faults=faults)


def test_a_run_without_timed_passes_has_nothing_to_repeat() -> None:
    untimed = an_eval_report(changed={"invariants": some_invariants()[:3]})

    assert between(an_eval_report(), untimed).exit_code is PASSED


def test_invariants_that_saw_no_hit_are_as_good_as_none() -> None:
    blind = an_eval_report(changed={"invariants": some_invariants(checked=0)})

    assert between(an_eval_report(), blind).exit_code is FAILED
    assert between(blind, blind).exit_code is PASSED


def test_a_question_that_failed_is_broken_and_said_on_one_line(tmp_path: Path) -> None:
    report = a_longmemeval_report(tmp_path)
    facts = report.longmemeval
    assert facts is not None
    error = QuestionError(
        question="q1", stage="search", configuration="lexical", what="it said\n500."
    )
    damaged = report.model_copy(
        update={"longmemeval": facts.model_copy(update={"errors": (error,)})}
    )

    assert between(report, report).exit_code is PASSED
    comparison = between(report, damaged)
    assert comparison.broken == ("question q1, search (lexical): it said 500.",)
    assert comparison.exit_code is FAILED


def with_check(results: Results, **changed: object) -> Results:
    first, *others = results.checks
    return results.model_copy(
        update={"checks": (first.model_copy(update=changed), *others)}
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"passed": False, "value": 0.5}, ": 0.5, its budget is "),
        ({"passed": True, "value": None}, ": not measured, and passes"),
        ({"passed": False, "value": None}, ": not measured, and fails"),
    ],
)
def test_checks_of_a_results_file_are_held_too(
    change: dict[str, object], words: str
) -> None:
    sound = an_accepted(a_judged_report())
    comparison = compare(from_results(sound), from_results(with_check(sound, **change)))

    (text,) = comparison.broken
    assert text.startswith(f"check {sound.checks[0].name}{words}")
    assert comparison.exit_code is FAILED


def stripped(results: Results, **changed: object) -> Comparable:
    return from_results(results.model_copy(update=changed))


def test_a_results_file_stripped_of_its_checks_or_faults_is_broken() -> None:
    sound = an_accepted(a_judged_report())

    for change in ({"checks": ()}, {"faults": ()}):
        comparison = compare(from_results(sound), stripped(sound, **change))
        assert comparison.exit_code is FAILED
        assert comparison.broken


def test_what_a_format_cannot_state_is_not_lost() -> None:
    report = from_report(a_judged_report())
    # A baseline has no check; the public bench has neither our faults nor invariants.
    baseline = from_results(candidate(a_judged_report(), the_budgets()))
    ours = an_accepted(a_judged_report())
    corpus = ours.corpus.model_copy(update={"sha256": None})
    public = stripped(ours, corpus=corpus, faults=())

    assert compare(report, baseline).exit_code is PASSED
    assert compare(baseline, report).exit_code is PASSED
    assert compare(report, public).exit_code is PASSED


def test_a_broken_base_is_said_and_fails_nothing() -> None:
    broken, sound = an_eval_report(changed=HIDDEN), an_eval_report()
    comparison = between(broken, sound)

    assert comparison.exit_code is PASSED
    lines = printed(comparison)
    assert "note            base is broken, which fails nothing here:" in lines
    assert any(VIOLATION in line for line in lines)
    judgement = judge(comparison)
    assert "Base is broken." in judgement_markdown(judgement).decode()
    (case,) = (each for each in judgement_cases(judgement) if each.name == "base")
    assert (case.outcome, case.text.splitlines()[1:]) == ("skipped", [VIOLATION])
    assert json.loads(comparison_json(comparison))["base_broken"] == [VIOLATION]


def printed(comparison: Comparison) -> list[str]:
    buffer = io.StringIO()
    console = Console(file=buffer, width=160, force_terminal=False)
    print_comparison(comparison, console=console)
    return [line.rstrip() for line in buffer.getvalue().splitlines()]


@pytest.mark.parametrize("policy", POLICIES)
def test_a_broken_new_side_fails_under_every_policy(policy: Policy) -> None:
    comparison = between(an_eval_report(), an_eval_report(changed=HIDDEN))
    judgement = judge(comparison, policy)

    assert judgement.exit_code is FAILED
    failed = [each for each in judgement_cases(judgement) if each.outcome == "failed"]
    assert [(each.rule, each.text) for each in failed] == [("broken", VIOLATION)]


@pytest.mark.parametrize("policy", POLICIES)
def test_what_does_not_compare_ends_so_although_it_is_broken(policy: Policy) -> None:
    other = an_eval_report(changed={**HIDDEN, "parameters": some_parameters(limit=20)})
    judgement = judge(between(an_eval_report(), other), policy)

    assert judgement.comparison.broken == (VIOLATION,)
    assert judgement.exit_code is NOTHING


def test_the_terminal_names_what_is_broken_and_counts_it_at_the_end() -> None:
    many = some_invariants(violations=[a_violation(f"d{n}") for n in range(8)])
    lines = printed(
        between(an_eval_report(), an_eval_report(changed={"invariants": many}))
    )

    assert lines[2].startswith("BROKEN          invariant visible: lexical, query q1")
    assert lines[7] == "                and 3 more"
    assert lines[-2] == "new is broken in 8 ways."


def test_what_is_broken_is_red_on_a_terminal() -> None:
    buffer = io.StringIO()
    console = Console(
        file=buffer, width=160, force_terminal=True, color_system="standard"
    )
    comparison = between(an_eval_report(), an_eval_report(changed=HIDDEN))
    print_comparison(comparison, console=console)

    assert f"\x1b[1;31m{VIOLATION}" in buffer.getvalue()


def test_every_face_of_the_command_says_what_is_broken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base, new = tmp_path / "base.json", tmp_path / "new.json"
    save(an_eval_report(), base)
    save(an_eval_report(changed=HIDDEN), new)
    words = ["compare", str(base), str(new)]
    files = {name: tmp_path / f"a.{name}" for name in ("html", "junit", "sarif")}
    faces = [word for name, file in files.items() for word in (f"--{name}", str(file))]

    assert main([*words, *faces, "--markdown"]) == FAILED
    out = capsys.readouterr().out
    assert out.startswith("### ❌ Failed, new is broken; statistics: same")
    assert "superseded in epoch 1" in out
    assert "superseded in epoch 1" in files["html"].read_text()
    (failure,) = ElementTree.parse(files["junit"]).getroot().iter("failure")
    assert failure.attrib == {"type": "broken", "message": VIOLATION}
    (result,) = json.loads(files["sarif"].read_text())["runs"][0]["results"]
    assert result["ruleId"] == "broken"

    assert main([*words, "--json"]) == FAILED
    document = json.loads(capsys.readouterr().out)
    assert (document["exit_code"], document["broken"]) == (1, [VIOLATION])

    assert main(words) == FAILED
    last = capsys.readouterr().out.splitlines()[-1].rstrip()
    assert last == "Verdict: same. Policy floor: FAILED, new is broken."


def test_a_page_without_anything_broken_does_not_speak_of_it() -> None:
    judgement = judge(between(an_eval_report(), an_eval_report()))

    assert b"roken" not in comparison_page(judgement, Sides(None, None))


def test_the_gate_finds_a_violation_itself_and_once() -> None:
    sound = an_eval_report()
    verdict = gate(an_eval_report(changed=HIDDEN), make_baseline(sound, force=True))

    assert verdict.comparison is not None
    assert verdict.comparison.exit_code is PASSED
    found = [each for each in verdict.findings if "superseded" in each.text]
    assert [each.code for each in found] == ["invariant-violated"]
