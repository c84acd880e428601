"""Foreign runs are put in order as trec_eval does, and scored as our own."""

import json
from pathlib import Path

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from harness.cli import main
from harness.dataset.exchange.trec import Run, escaped, read_run, unescaped
from harness.errors import ExitCode

QRELS = "q1 0 a 2\nq1 0 b 0\nq2 0 a 1\nq2 0 c 1\nq3 0 a 1\nq4 0 a 0\n"
RUN = "q1 Q0 b 1 9.5 sys\nq1 Q0 a 2 7 sys\nq2 Q0 c 9 1e2 sys\nq8 Q0 a 1 1 sys\n"


def files(folder: Path, qrels: str = QRELS, run: str = RUN) -> list[str]:
    """Write judgments and a run, and return the words that score them."""
    (folder / "qrels.txt").write_text(qrels, "utf-8")
    (folder / "sys.run").write_text(run, "utf-8")
    words = ["score", "--qrels", str(folder / "qrels.txt")]
    return [*words, "--run", str(folder / "sys.run")]


def by_trec_eval(scores: dict[str, float]) -> list[str]:
    """Return the order trec_eval sees, by asking for the rank of each document."""
    ranks = {}
    for document in scores:
        judge = pytrec_eval.RelevanceEvaluator({"q": {document: 1}}, {"recip_rank"})
        ranks[document] = 1 / judge.evaluate({"q": scores})["q"]["recip_rank"]
    return sorted(ranks, key=ranks.__getitem__)


NUMBERS = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 1.0 + 1e-12, 16777216.0, 16777217.0, 1e39, 1e300]),
    st.floats(allow_nan=False, allow_infinity=False, width=64),
)
IDS = st.text("abcABC012-_é中😀", min_size=1, max_size=4)


@given(st.dictionaries(IDS, NUMBERS, min_size=1, max_size=8))
def test_the_order_of_a_run_is_trec_evals(scores: dict[str, float]) -> None:
    assert Run((), {"q": scores}).ranking("q") == by_trec_eval(scores)


@given(st.text(min_size=1))
def test_an_escaped_id_is_one_column_and_comes_back(name: str) -> None:
    try:
        name.encode()
    except UnicodeEncodeError:
        return
    column = escaped(name)

    assert unescaped(column) == name
    assert column.isprintable()
    assert len(column.split()) == 1


def test_means_are_over_judged_queries_whether_or_not_the_run_has_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*files(tmp_path), "--json"]) == ExitCode.PASSED
    found = json.loads(capsys.readouterr().out)

    # q1: rank 2; q2: one of two, at rank 1; q3: not in the run.
    assert found["queries"] == 3
    assert found["metrics"]["mrr"] == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert found["metrics"]["recall@3"] == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert found["metrics"]["judged@1"] == pytest.approx((1 + 1 + 0) / 3)
    assert found["missing"] == ["q3"]
    assert found["unjudged"] == ["q8"]
    assert found["irrelevant"] == ["q4"]
    assert found["by_query"]["q3"]["recall@10"] == 0
    assert found["tags"] == ["sys"]


def test_the_table_names_what_is_not_in_the_averages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*files(tmp_path), "--cutoff", "2", "--cutoff", "1"]) == 0
    said = capsys.readouterr().out

    assert "sys  means over 3 queries; 1 is best" in said
    rows = {words[0]: words[1:] for words in map(str.split, said.splitlines()) if words}
    assert rows["recall"] == ["0.167", "0.500"]
    assert rows["mrr"] == ["0.500"]
    for line in (
        "queries that the run lacks, which count as 0: 1 ('q3')",
        "queries of the run that nobody judged: 1 ('q8')",
        "queries without a relevant document: 1 ('q4')",
    ):
        assert line in said


def test_judgments_of_beir_score_a_run_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    qrels = "query-id\tcorpus-id\tscore\nq1\ta\t1\n"

    assert main([*files(tmp_path, qrels), "--json"]) == ExitCode.PASSED
    assert json.loads(capsys.readouterr().out)["metrics"]["mrr"] == 0.5


def test_a_run_of_other_queries_measures_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = files(tmp_path, run="Q1 Q0 a 1 1 sys\n")

    assert main(words) == ExitCode.NOTHING_MEASURED
    assert "none of the run's 1 queries" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("qrels", "run", "wanted"),
    [
        (QRELS, "", "sys.run: the file is empty"),
        ("\n", RUN, "qrels.txt: the file is empty"),
        (QRELS, "q1 Q0 a 1 9 sys\nq1 Q0 a 2 8 sys\n", "run:2: 'a' is ranked twice"),
        (QRELS, "q1 Q0 a 1 9\n", "sys.run:1: found 5 columns, wanted 6"),
        (QRELS, "q1 Q0 a 1 nan sys\n", "sys.run:1: the score 'nan' is no finite"),
        (QRELS, "q1 Q0 a 1 1_0 sys\n", "sys.run:1: the score '1_0' is no finite"),
        (QRELS, "q1 Q0 a 1 best sys\n", "sys.run:1: the score 'best' is no finite"),
        ("q1 0 a\n", RUN, "qrels.txt:1: found 3 columns, wanted 4"),
        ("q1 0 a 1\n\nq1 0 a 1\n", RUN, "qrels.txt:3: 'a' is judged twice"),
        ("q1 0 a x\n", RUN, "qrels.txt:1: found 'x' for a score"),
    ],
)
def test_a_malformed_line_is_refused_with_its_number(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    qrels: str,
    run: str,
    wanted: str,
) -> None:
    assert main(files(tmp_path, qrels, run)) == ExitCode.USAGE
    assert wanted in capsys.readouterr().err


def test_ids_may_hold_white_space_that_is_not_cs(tmp_path: Path) -> None:
    path = tmp_path / "sys.run"
    path.write_text("q\u00a01 Q0 a\u2028b 1 2.5 sys\n", "utf-8")

    assert read_run(path).ranking("q\u00a01") == ["a\u2028b"]
