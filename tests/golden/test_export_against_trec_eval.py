"""A report's exported files, scored by trec_eval, give the report's own figures."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
import pytrec_eval
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.cli import main
from harness.dataset.exchange.trec import read_qrels, read_run, unescaped
from harness.errors import ExitCode
from harness.measure.metrics import mean_metrics, score_ranking
from harness.report.model import ConfigurationResult, Ranking, ScoredHit
from harness.report.store import save
from harness.report.trec import trec_pairs
from tests.builders import a_configuration, a_report

CUTOFFS = (1, 3, 5, 10)
SAME = ("recall", "precision", "hit", "ndcg_linear")
TREC = {
    "recall": "recall",
    "precision": "P",
    "hit": "success",
    "ndcg_linear": "ndcg_cut",
}

Answers = Mapping[str, tuple[Sequence[str], Mapping[str, int]]]


def a_result(answers: Answers, name: str = "lexical") -> ConfigurationResult:
    """Measure rankings, all hits of one score: only their order tells them apart."""
    rankings = [
        Ranking(
            query=query,
            category="lexical",
            metrics=score_ranking(ranking, grades, CUTOFFS),
            hits=tuple(ScoredHit(document=each, score=0.5) for each in ranking),
            grades=grades,
        )
        for query, (ranking, grades) in answers.items()
    ]
    means = mean_metrics([each.metrics for each in rankings])
    return a_configuration(name, metrics=means, rankings=rankings)


def by_trec_eval(qrels: Path, run: Path) -> dict[str, float]:
    """Score two files as ``trec_eval -c`` does: what the run lacks counts as 0."""
    judgments = {query: dict(each) for query, each in read_qrels(qrels).scores.items()}
    names = {f"{TREC[name]}.{cutoff}" for name in SAME for cutoff in CUTOFFS}
    judge = pytrec_eval.RelevanceEvaluator(judgments, {*names, "recip_rank"})
    found = judge.evaluate(
        {query: dict(each) for query, each in read_run(run).scores.items()}
    )
    wanted = {f"{name}@{k}": f"{TREC[name]}_{k}" for name in SAME for k in CUTOFFS}
    wanted["mrr"] = "recip_rank"
    return {
        ours: sum(found.get(query, {}).get(theirs, 0.0) for query in judgments)
        / len(judgments)
        for ours, theirs in wanted.items()
    }


IDS = st.text("abc \t%é7😀\n", min_size=1, max_size=5)
GRADES = st.dictionaries(IDS, st.integers(1, 3), min_size=1, max_size=6)


@st.composite
def answers(draw: st.DrawFn) -> Answers:
    """Draw one to five queries; some documents are found, some are not judged."""
    found: dict[str, tuple[list[str], dict[str, int]]] = {}
    for query in draw(st.lists(IDS, min_size=1, max_size=5, unique=True)):
        grades = draw(GRADES)
        pool = st.one_of(st.sampled_from(sorted(grades)), IDS)
        found[query] = (draw(st.lists(pool, max_size=15)), grades)
    # A file without a line would say nothing of anything.
    first = next(iter(found))
    found[first] = (found[first][0] or ["d"], found[first][1])
    return found


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(answers())
def test_exported_files_score_as_the_report_does(
    tmp_path: Path, drawn: Answers
) -> None:
    result = a_result(drawn)
    (pair,), without = trec_pairs(a_report(result))
    qrels, run = tmp_path / "x.qrels", tmp_path / "x.run"
    qrels.write_bytes(pair.qrels)
    run.write_bytes(pair.run)

    got = by_trec_eval(qrels, run)
    assert got == pytest.approx({name: result.metrics[name] for name in got}, abs=1e-12)
    assert without == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(answers())
def test_exported_files_read_back_as_what_was_ranked(
    tmp_path: Path, drawn: Answers
) -> None:
    (pair,), _ = trec_pairs(a_report(a_result(drawn)))
    (tmp_path / "x.run").write_bytes(pair.run)
    (tmp_path / "x.qrels").write_bytes(pair.qrels)
    run, judged = read_run(tmp_path / "x.run"), read_qrels(tmp_path / "x.qrels")

    got = {
        unescaped(query): (
            [unescaped(each) for each in run.ranking(query)],
            {unescaped(each): grade for each, grade in grades.items()},
        )
        for query, grades in judged.scores.items()
    }
    assert got == {
        query: (list(dict.fromkeys(ranking)), grades)
        for query, (ranking, grades) in drawn.items()
    }
    assert pair.empty == tuple(
        query for query, (found, _) in drawn.items() if not found
    )


def test_the_command_writes_a_pair_a_configuration_and_score_agrees(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lexical = a_result(
        {"q1": (["x", "a", "b"], {"a": 2, "b": 1}), "q2": ([], {"c": 1})}
    )
    semantic = a_result({"q1": (["a"], {"a": 2, "b": 1})}, "semantic")
    path = tmp_path / "report.json"
    save(a_report(lexical, semantic), path)

    assert main(["export", "trec", str(path)]) == ExitCode.PASSED
    folder = tmp_path / "report-trec"
    assert sorted(each.name for each in folder.iterdir()) == [
        "lexical.qrels",
        "lexical.run",
        "semantic.qrels",
        "semantic.run",
    ]
    assert (folder / "lexical.run").read_text("utf-8") == (
        "q1 Q0 x 1 3 lexical\nq1 Q0 a 2 2 lexical\nq1 Q0 b 3 1 lexical\n"
    )
    said = capsys.readouterr().out
    assert "lexical: 2 queries, 1 without an answer" in said

    words = ["score", "--qrels", str(folder / "lexical.qrels"), "--json"]
    assert main([*words, "--run", str(folder / "lexical.run")]) == ExitCode.PASSED
    metrics = json.loads(capsys.readouterr().out)["metrics"]
    assert {name: metrics[name] for name in lexical.metrics} == dict(lexical.metrics)


def test_names_that_are_no_file_names_give_files_of_their_own() -> None:
    answer: Answers = {"q1": (["a"], {"a": 1})}
    results = [
        a_result(answer).model_copy(update={"name": name})
        for name in ("../x y", "..-X-y", "???")
    ]
    pairs, _ = trec_pairs(a_report(*results))

    assert [each.stem for each in pairs] == ["x-y", "X-y-2", "configuration"]


def test_a_report_without_judgments_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = a_result({"q1": (["a"], {"a": 1})})
    bare = tuple(each.model_copy(update={"grades": None}) for each in result.rankings)
    path = tmp_path / "report.json"
    save(a_report(result.model_copy(update={"rankings": bare})), path)

    assert main(["export", "trec", str(path)]) == ExitCode.USAGE
    assert "lexical: no judgments of query 'q1'" in capsys.readouterr().err


def test_a_configuration_that_was_not_measured_is_named_and_left_out() -> None:
    skipped = a_configuration("semantic", metrics={}, by_category={}, queries=0)
    skipped = skipped.model_copy(update={"skip_reason": "no vectors"})
    pairs, without = trec_pairs(a_report(a_result({"q1": (["a"], {"a": 1})}), skipped))

    assert [each.configuration for each in pairs] == ["lexical"]
    assert without == ["semantic: not measured (no vectors)"]
