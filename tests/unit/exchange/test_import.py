"""Collections in BEIR's and TREC's formats become data sets that pass every rule."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from harness.cli import main
from harness.dataset.model import Dataset
from harness.dataset.read import read_dataset
from harness.errors import ExitCode

# Any: what a person may write into a JSON file, wrong kinds included.
Json = Any

CORPUS = [
    {"_id": "d1", "title": "Ovens", "text": "They run hot", "metadata": {"url": "x"}},
    {"_id": "d2", "title": "", "text": "The sedan needs brakes"},
    {"_id": "d3", "text": "Bread rises slowly"},
]
QUERIES = [{"_id": "q1", "text": "oven"}, {"_id": "q2", "text": "car brakes"}]
QRELS = [("q1", "d1", "2"), ("q1", "d3", "0"), ("q2", "d2", "1")]
HEADER = ("query-id", "corpus-id", "score")


def lines(objects: Sequence[Json]) -> str:
    return "".join(f"{json.dumps(each)}\n" for each in objects)


def a_folder(
    folder: Path,
    corpus: Sequence[Json] = CORPUS,
    queries: Sequence[Json] = QUERIES,
    qrels: Sequence[Sequence[str]] = QRELS,
    header: Sequence[str] = HEADER,
) -> Path:
    """Write a BEIR folder called ``kit``."""
    kit = folder / "kit"
    (kit / "qrels").mkdir(parents=True)
    (kit / "corpus.jsonl").write_text(lines(corpus), "utf-8")
    (kit / "queries.jsonl").write_text(lines(queries), "utf-8")
    rows = ["\t".join(row) + "\n" for row in (header, *qrels)]
    (kit / "qrels" / "test.tsv").write_text("".join(rows), "utf-8")
    return kit


def imported(kit: Path, *words: str) -> Dataset:
    """Import a BEIR folder by the command line, and read what it wrote."""
    out = kit.parent / "out.json"
    code = main(["import", "beir", str(kit), "--out", str(out), *words])
    assert code == ExitCode.PASSED
    assert main(["validate", str(out)]) == ExitCode.PASSED
    return read_dataset(out)


def record(kit: Path) -> Json:
    """Return what an import wrote down about itself."""
    return json.loads((kit.parent / "out.json").read_text("utf-8"))["_import"]


def refusal(kit: Path, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Import what cannot be, and return the message."""
    out = kit.parent / "out.json"
    code = main(["import", "beir", str(kit), "--out", str(out), *words])
    assert code == ExitCode.USAGE
    assert not out.exists()
    return capsys.readouterr().err


def judged(dataset: Dataset) -> dict[str, dict[str, int]]:
    return {query.id: query.grades for query in dataset.queries}


def test_a_beir_folder_becomes_a_data_set(tmp_path: Path) -> None:
    dataset = imported(a_folder(tmp_path))

    assert dataset.name == "kit"
    assert [(each.id, each.content) for each in dataset.documents] == [
        ("d1", "Ovens They run hot"),
        ("d2", "The sedan needs brakes"),
        ("d3", "Bread rises slowly"),
    ]
    assert [(each.id, each.text) for each in dataset.queries] == [
        ("q1", "oven"),
        ("q2", "car brakes"),
    ]
    assert judged(dataset) == {"q1": {"d1": 2}, "q2": {"d2": 1}}


def test_the_same_folder_gives_the_same_bytes(tmp_path: Path) -> None:
    kit = a_folder(tmp_path)
    first = imported(kit).sha256

    assert imported(kit).sha256 == first


@pytest.mark.parametrize(
    ("rule", "grades"),
    [
        ("keep", {"a": 1, "b": 2, "c": 3}),
        ("binary", {"a": 2, "b": 2, "c": 2}),
        ("-1=0,0=0,1=0,2=1,3=2", {"b": 1, "c": 2}),
    ],
)
def test_scores_become_grades_by_the_rule(
    tmp_path: Path, rule: str, grades: dict[str, int]
) -> None:
    corpus = [{"_id": each, "text": f"text {each}"} for each in "abcde"]
    scores = {"a": "1", "b": "2", "c": "3.0", "d": "0", "e": "-1"}
    rows = [("q1", each, number) for each, number in scores.items()]
    kit = a_folder(tmp_path, corpus, QUERIES[:1], rows)

    # An option's value that starts with a dash needs the form with "=".
    assert judged(imported(kit, f"--grades={rule}")) == {"q1": grades}
    assert record(kit)["grades"] == rule


def test_a_score_without_a_grade_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    message = refusal(a_folder(tmp_path), capsys, "--grades", "0=0,1=1")

    assert "the score 2 of 'd1' in query 'q1' has no grade in '0=0,1=1'" in message


@pytest.mark.parametrize("rule", ["best", "1=x", "1=1,1=2", "1=32", ""])
def test_a_rule_that_is_none_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rule: str
) -> None:
    assert "--grades" in refusal(a_folder(tmp_path), capsys, "--grades", rule)


def test_queries_that_cannot_be_scored_are_left_out_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    queries = [*QUERIES, {"_id": "q3", "text": "none"}, {"_id": "q4", "text": "other"}]
    rows = [*QRELS, ("q3", "d1", "0"), ("q9", "d1", "1")]
    kit = a_folder(tmp_path, queries=queries, qrels=rows)

    assert list(judged(imported(kit))) == ["q1", "q2"]
    found = record(kit)
    assert found["irrelevant_queries"] == ["q3"]
    assert found["unknown_queries"] == ["q9"]
    assert found["unjudged_queries"] == 1
    assert found["not_relevant"] == 2
    said = capsys.readouterr().out
    assert "queries without a relevant document: 1 ('q3')" in said
    assert "queries that are judged: 1 ('q9')" in said


def test_judged_documents_that_are_not_there_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kit = a_folder(tmp_path, qrels=[*QRELS, ("q2", "d9", "1")])

    assert judged(imported(kit))["q2"] == {"d2": 1}
    assert record(kit)["unknown_documents"] == ["q2: d9"]
    assert "documents that are judged relevant: 1 ('q2: d9')" in capsys.readouterr().out


def test_ids_that_the_rules_refuse_are_replaced_and_kept(tmp_path: Path) -> None:
    corpus = [
        {"_id": "filler-1", "text": "one"},
        {"_id": " d2", "text": "two"},
        {"_id": "x" * 300, "text": "three"},
        {"_id": 4, "text": "four"},
    ]
    queries = [{"_id": "q\u00851", "text": "one"}]
    rows = [("q\u00851", "filler-1", "1"), ("q\u00851", "4", "1")]
    kit = a_folder(tmp_path, corpus, queries, rows)
    dataset = imported(kit)

    assert dataset.document_ids == (
        "renamed-document-0",
        "renamed-document-1",
        "renamed-document-2",
        "4",
    )
    assert judged(dataset) == {"renamed-query-0": {"renamed-document-0": 1, "4": 1}}
    assert record(kit)["renamed"] == {
        "renamed-document-0": "filler-1",
        "renamed-document-1": " d2",
        "renamed-document-2": "x" * 300,
        "renamed-query-0": "q\u00851",
    }


def test_documents_of_one_text_are_all_kept_in_rooms_of_their_own(
    tmp_path: Path,
) -> None:
    corpus = [{"_id": each, "text": "the same"} for each in ("a", "b", "c")]
    kit = a_folder(tmp_path, corpus, QUERIES[:1], [("q1", "b", "1")])

    assert [(each.id, each.room) for each in imported(kit).documents] == [
        ("a", "documents"),
        ("b", "documents-2"),
        ("c", "documents-3"),
    ]
    assert record(kit)["twins"] == ["b", "c"]


def test_documents_without_a_text_are_left_out_and_named(tmp_path: Path) -> None:
    corpus = [*CORPUS, {"_id": "d4", "title": " ", "text": "\n"}]
    kit = a_folder(tmp_path, corpus, qrels=[*QRELS, ("q1", "d4", "1")])

    assert imported(kit).document_ids == ("d1", "d2", "d3")
    assert record(kit)["blank_documents"] == ["d4"]
    assert record(kit)["unknown_documents"] == ["q1: d4"]


def test_what_postgres_cannot_store_is_mended_and_named(tmp_path: Path) -> None:
    kit = a_folder(tmp_path, [*CORPUS, {"_id": "d4", "text": "a\0b"}])

    assert imported(kit).documents[3].content == "a\ufffdb"
    assert record(kit)["mended_texts"] == ["d4"]


def test_columns_are_read_by_the_names_in_the_header(tmp_path: Path) -> None:
    rows = [("1", "q1", "d1"), ("1", "q2", "d2")]
    header = ("score", "query-id", "corpus-id")

    assert judged(imported(a_folder(tmp_path, qrels=rows, header=header))) == {
        "q1": {"d1": 1},
        "q2": {"d2": 1},
    }


def test_a_byte_order_mark_and_carriage_returns_are_passed_over(tmp_path: Path) -> None:
    kit = a_folder(tmp_path)
    for path in kit.rglob("*.*"):
        text = path.read_text("utf-8").replace("\n", "\r\n")
        path.write_bytes(b"\xef\xbb\xbf" + text.encode())

    assert judged(imported(kit)) == {"q1": {"d1": 2}, "q2": {"d2": 1}}


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        (
            {"header": ("q1", "d1", "1")},
            "qrels/test.tsv:1: found 'q1\\td1\\t1', wanted",
        ),
        ({"qrels": [("q1", "d1")]}, "qrels/test.tsv:2: found 2 columns, wanted 3"),
        ({"qrels": [("q1", "d1", "yes")]}, "qrels/test.tsv:2: found 'yes' for a score"),
        ({"qrels": [("q1", "d1", "0.5")]}, "test.tsv:2: found '0.5' for a score"),
        ({"qrels": [("q1", "d1", "32")]}, "test.tsv:2: found '32' for a score"),
        ({"qrels": [QRELS[0], QRELS[0]]}, "tsv:3: 'd1' is judged twice in query 'q1'"),
        ({"qrels": []}, "test.tsv: found no judgments"),
        ({"qrels": [("q9", "d1", "1")]}, "no query is left: 1 judged ones are not"),
        ({"corpus": [*CORPUS, CORPUS[0]]}, "corpus.jsonl:4: 'd1' is the id of"),
        ({"corpus": [{"_id": "d1"}]}, "corpus.jsonl:1: the key 'text' is missing"),
        ({"corpus": [{"text": "x"}]}, "corpus.jsonl:1: _id: found null, wanted an id"),
        ({"corpus": [{"_id": "d1", "text": 3}]}, "jsonl:1: text: found 3, wanted a st"),
        ({"corpus": [[1]]}, "corpus.jsonl:1: found a list of 1, wanted an object"),
        ({"queries": [*QUERIES, QUERIES[0]]}, "queries.jsonl:3: 'q1' is the id of"),
    ],
)
def test_what_is_malformed_is_refused_with_its_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    changes: Json,
    wanted: str,
) -> None:
    assert wanted in refusal(a_folder(tmp_path, **changes), capsys)


def test_broken_json_and_other_bytes_are_refused_with_their_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kit = a_folder(tmp_path)
    corpus = kit / "corpus.jsonl"
    corpus.write_text('{"_id": "d1", "text": "x"}\n\n{"_id": \n', "utf-8")
    assert "corpus.jsonl:3: the JSON ends too early" in refusal(kit, capsys)

    corpus.write_bytes(b'{"_id": "d1", "text": "caf\xe9"}\n')
    assert "corpus.jsonl:1: byte 26 (0xE9) is not UTF-8" in refusal(kit, capsys)

    corpus.write_bytes(b"\x1f\x8b\x08\x00")
    assert "corpus.jsonl: the file is packed with gzip" in refusal(kit, capsys)


def test_a_split_that_is_not_there_is_refused_with_those_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    message = refusal(a_folder(tmp_path), capsys, "--split", "dev")

    assert "the folder has no 'qrels/dev.tsv'" in message
    assert "there are: test" in message


def test_a_folder_that_is_none_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kit = a_folder(tmp_path)
    (kit / "queries.jsonl").unlink()
    assert "the folder has no 'queries.jsonl'" in refusal(kit, capsys)
    assert "has no 'qrels/test.tsv'" in refusal(tmp_path / "none" / "x", capsys)


def test_a_corpus_beyond_what_a_data_file_holds_is_refused_where_it_gets_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kit = a_folder(tmp_path)
    text = "x" * (1 << 20)
    with (kit / "corpus.jsonl").open("w", encoding="utf-8") as file:
        for number in range(70):
            file.write(f'{{"_id": "d{number}", "text": "{number} {text}"}}\n')
    message = refusal(kit, capsys)

    assert "corpus.jsonl:64: the documents up to here have more than" in message


def test_a_file_that_nobody_named_is_not_replaced(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    kit = a_folder(tmp_path)
    monkeypatch.chdir(tmp_path)

    assert main(["import", "beir", "kit"]) == ExitCode.PASSED
    assert read_dataset(tmp_path / "kit.json").name == "kit"
    assert main(["import", "beir", "kit"]) == ExitCode.USAGE
    assert "'kit.json' is there already" in capsys.readouterr().err
    assert main(["import", "beir", str(kit), "--name", "two"]) == ExitCode.PASSED


TOPICS = {
    "tags": "<top>\n<num> Number: 301\n<title> Oven\n heat\n\n<desc> Description:\nof"
    " ovens\n</top>\n<top><num>302</num><title>Brakes</title></top>\n",
    "rows": "301\tOven heat\n302\tBrakes\n",
    "objects": '{"_id": "301", "text": "Oven heat"}\n{"_id": 302, "text": "Brakes"}\n',
}


@pytest.mark.parametrize("layout", TOPICS)
def test_trec_topics_judgments_and_a_corpus_become_a_data_set(
    tmp_path: Path, layout: str
) -> None:
    topics, qrels = tmp_path / "topics", tmp_path / "robust.qrels"
    corpus, out = tmp_path / "corpus.jsonl", tmp_path / "out.json"
    topics.write_text(TOPICS[layout], "utf-8")
    qrels.write_text("301 0 d1 1\n301 0 d3 -2\n302 0 d2 2\n", "utf-8")
    corpus.write_text(lines(CORPUS), "utf-8")
    words = ["import", "trec", "--topics", str(topics), "--qrels", str(qrels)]

    assert main([*words, "--corpus", str(corpus), "--out", str(out)]) == 0
    dataset = read_dataset(out)
    assert dataset.name == "robust"
    assert [each.text for each in dataset.queries] == ["Oven heat", "Brakes"]
    assert judged(dataset) == {"301": {"d1": 1}, "302": {"d2": 2}}
