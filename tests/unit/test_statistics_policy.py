"""What fails under which policy, and that nothing unmeasured passes under any."""

import io
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from harness.cli import main
from harness.errors import ExitCode, UsageError
from harness.judge.baseline import make_baseline, save_baseline
from harness.judge.comparable import from_report
from harness.judge.compare import compare
from harness.judge.statistics.machine import judgement_json
from harness.judge.statistics.policy import (
    POLICIES,
    Inconclusive,
    Judgement,
    Policy,
    judge,
)
from harness.judge.statistics.terminal import print_judgement
from harness.report.model import Report
from harness.report.store import save
from tests.builders import a_configuration, a_report, some_metrics, some_parameters
from tests.pairs import Values, a_scored_configuration, scored, two_reports

EVEN = [0.5] * 12
SHOWN = [0.4] * 9 + [0.5] * 3
NOT_SHOWN = [0.3] * 4 + [0.5] * 8
UNCLEAR_WITHIN = [0.3, 0.7] + [0.5] * 10
PASSED, FAILED, NOTHING = (
    ExitCode.PASSED,
    ExitCode.GATE_FAILED,
    ExitCode.NOTHING_MEASURED,
)


def judged(
    new: Values, policy: Policy, inconclusive: Inconclusive | None = None
) -> Judgement:
    return judge(two_reports({"hybrid": EVEN}, {"hybrid": new}), policy, inconclusive)


@pytest.mark.parametrize(
    ("new", "codes"),
    [
        (EVEN, (PASSED, PASSED, PASSED)),
        (SHOWN, (FAILED, FAILED, FAILED)),
        (NOT_SHOWN, (FAILED, PASSED, FAILED)),
        (UNCLEAR_WITHIN, (PASSED, PASSED, PASSED)),
        ([0.9] * 12, (PASSED, PASSED, PASSED)),
    ],
)
def test_exit_code_follows_the_policy(
    new: Values, codes: tuple[ExitCode, ExitCode, ExitCode]
) -> None:
    got = tuple(judged(new, policy).exit_code for policy in POLICIES)
    assert got == codes


def test_inconclusive_passes_only_where_that_is_asked_for() -> None:
    assert judged(NOT_SHOWN, "both", "fail").exit_code is FAILED
    assert judged(NOT_SHOWN, "both", "pass").exit_code is PASSED
    assert judged(SHOWN, "both", "pass").exit_code is FAILED


@pytest.mark.parametrize("policy", ["floor", "statistics"])
def test_inconclusive_is_refused_where_it_says_nothing(policy: Policy) -> None:
    with pytest.raises(UsageError, match=policy):
        judged(EVEN, policy, "pass")


def other_metric(value: float) -> Report:
    """Report ndcg@10 of 0.5 throughout, and another metric of *value*."""
    result = a_scored_configuration(EVEN)
    metrics = {**result.metrics, "recall@5": value}
    return a_report(result.model_copy(update={"metrics": metrics}))


@pytest.mark.parametrize("policy", ["statistics", "both"])
def test_losses_of_other_metrics_are_counted_and_fail_nothing(policy: Policy) -> None:
    comparison = compare(from_report(other_metric(0.8)), from_report(other_metric(0.6)))
    judgement = judge(comparison, policy)

    assert judgement.exit_code is PASSED
    assert [change.metric for change in judgement.unjudged] == ["recall@5"]
    assert any("NOT JUDGED" in line for line in printed(judgement))


@pytest.mark.parametrize("policy", POLICIES)
def test_where_there_are_no_statistics_the_floor_judges_alone(policy: Policy) -> None:
    base = from_report(a_report(a_configuration(by_category={})))
    lost = from_report(
        a_report(a_configuration(metrics=some_metrics(recall_5=0.5), by_category={}))
    )
    judgement = judge(compare(base, lost), policy)

    assert judgement.exit_code is FAILED
    assert judgement.word is None
    text = " ".join(printed(judgement))
    assert "NOT AVAILABLE for lexical" in text
    assert "The floor rule alone judges there." in text
    assert judge(compare(base, base), policy).exit_code is PASSED


@pytest.mark.parametrize("policy", POLICIES)
def test_sides_that_differ_in_more_than_the_engine_never_pass(policy: Policy) -> None:
    base = scored({"hybrid": EVEN})
    other = base.model_copy(update={"parameters": some_parameters(limit=20)})
    judgement = judge(compare(from_report(base), from_report(other)), policy)

    assert (judgement.exit_code, judgement.word) == (NOTHING, "not comparable")


@pytest.mark.parametrize("policy", ["statistics", "both"])
def test_rows_that_do_not_explain_the_mean_never_pass(policy: Policy) -> None:
    base = scored({"hybrid": EVEN})
    result = a_scored_configuration(EVEN)
    edited = a_report(result.model_copy(update={"metrics": {"ndcg@10": 0.6}}))
    judgement = judge(compare(from_report(base), from_report(edited)), policy)

    assert judgement.exit_code is NOTHING


@pytest.mark.parametrize("policy", POLICIES)
def test_a_configuration_that_is_gone_fails(policy: Policy) -> None:
    comparison = two_reports({"hybrid": EVEN, "lexical": EVEN}, {"hybrid": EVEN})
    assert judge(comparison, policy).exit_code is FAILED


@pytest.mark.parametrize("policy", POLICIES)
def test_a_metric_that_is_not_finite_fails(policy: Policy) -> None:
    base = from_report(other_metric(0.8))
    (result,) = base.configurations
    metrics = {**result.overall.metrics, "recall@5": float("nan")}
    broken = replace(result, overall=replace(result.overall, metrics=metrics))
    judgement = judge(compare(base, replace(base, configurations=(broken,))), policy)

    assert judgement.exit_code is FAILED


def printed(judgement: Judgement, width: int = 100) -> list[str]:
    buffer = io.StringIO()
    console = Console(file=buffer, width=width, force_terminal=False)
    print_judgement(judgement, console=console)
    return [line.rstrip() for line in buffer.getvalue().splitlines()]


def test_table_holds_the_figures_and_the_end_comes_last() -> None:
    lines = printed(judged(SHOWN, "both"))

    assert lines[1:5] == [
        "Verdicts  ndcg@10, paired by query id",
        "configuration   base    new  change   95% interval      p  asked  verdict",
        "-------------- ------ ------ ------- -------------- ------ ------ -------",
        "hybrid         0.500  0.425  -0.075  -0.092 -0.042  0.004     12  worse",
    ]
    assert lines[-1] == "Verdict: worse. Policy both: FAILED."


@pytest.mark.parametrize("width", [80, 100])
def test_no_word_of_the_table_is_folded(width: int) -> None:
    names = ("lexical", "lexical+expand")
    base: Mapping[str, Values] = dict.fromkeys(names, EVEN)
    new: Mapping[str, Values] = dict.fromkeys(names, NOT_SHOWN)
    lines = printed(judge(two_reports(base, new)), width)

    (row,) = (line for line in lines if line.startswith("lexical+expand"))
    assert row.endswith(" inconclusive")


def test_configurations_in_which_nothing_moved_share_a_line() -> None:
    names = ("lexical", "semantic", "hybrid")
    base: Mapping[str, Values] = dict.fromkeys(names, EVEN)
    lines = printed(judge(two_reports(base, {**base, "semantic": SHOWN})))

    assert "same            lexical, hybrid: no query moved" in lines
    assert sum(line.startswith("semantic") for line in lines) == 1


def test_json_holds_the_verdicts_and_the_end_of_the_policy() -> None:
    document = json.loads(judgement_json(judged(NOT_SHOWN, "statistics")))

    assert document["regressions"] == 1
    assert (document["exit_code"], document["policy"]) == (0, "statistics")
    assert document["verdict"] == "inconclusive"
    (verdict,) = document["statistics"]["verdicts"]
    assert (verdict["verdict"], verdict["fails"]) == ("inconclusive", False)
    test = verdict["test"]
    assert (test["p"], test["patterns"], test["exact"]) == (0.125, 16, True)
    assert (test["queries"], test["queries_moved"]) == (12, 4)
    assert test["interval"]["method"] == "BCa"


def test_json_is_the_same_to_the_byte_each_time() -> None:
    assert judgement_json(judged(SHOWN, "both")) == judgement_json(
        judged(SHOWN, "both")
    )


def test_compare_takes_a_policy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base, new = tmp_path / "a.json", tmp_path / "b.json"
    save(scored({"hybrid": EVEN}), base)
    save(scored({"hybrid": NOT_SHOWN}), new)
    words = ["compare", str(base), str(new)]

    assert main(words) == FAILED
    assert main([*words, "--policy", "statistics"]) == PASSED
    assert main([*words, "--policy", "both"]) == FAILED
    assert main([*words, "--policy", "both", "--inconclusive", "pass"]) == PASSED
    last = capsys.readouterr().out.splitlines()[-1].rstrip()
    assert last == "Verdict: inconclusive. Policy both: passed."
    assert main([*words, "--inconclusive", "pass"]) == ExitCode.USAGE
    assert main([*words, "--policy", "statistics", "--json"]) == PASSED
    assert json.loads(capsys.readouterr().out)["verdict"] == "inconclusive"


def test_compare_with_a_baseline_says_that_the_floor_judges_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = a_report(a_configuration(by_category={}))
    save(report, tmp_path / "report.json")
    baseline = make_baseline(report, force=True)
    save_baseline(baseline, tmp_path / "baseline.json")
    words = [str(tmp_path / "baseline.json"), str(tmp_path / "report.json")]

    assert main(["compare", *words, "--policy", "both"]) == PASSED
    out = capsys.readouterr().out
    assert "NOT AVAILABLE for lexical: base, a baseline, keeps no query's" in out
    assert "Verdict: no statistics. Policy both: passed." in out
