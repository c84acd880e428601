"""Rules on queries: place, value and remedy."""

from pathlib import Path

import pytest

from tests.datafiles import Json, JsonPath, check_refusal, read, with_value


@pytest.mark.parametrize(
    ("path", "value", "place", "what", "remedy"),
    [
        (
            ("id",),
            "q-oven",
            "id",
            "'q-oven' is the id of queries[0] too",
            "an id of its own",
        ),
        (
            ("relevant",),
            [],
            "relevant",
            "query 'q-release' has no relevant documents",
            "Judge at least one",
        ),
        (
            ("relevant", 0, "doc"),
            "e",
            "relevant[0].doc",
            "'e', judged for query 'q-release', is not a document",
            "Judge a document or a correction",
        ),
        (
            ("relevant", 0, "grade"),
            0,
            "relevant[0].grade",
            "found 0 for 'c' in query 'q-release'",
            "Leave the entry out",
        ),
        (
            ("relevant", 0, "grade"),
            32,
            "relevant[0].grade",
            "found 32 for 'c' in query 'q-release', wanted at most 31",
            "Use 2 for an answer",
        ),
        (
            ("relevant", 1),
            {"doc": "c", "grade": 1},
            "relevant[1].doc",
            "'c' is judged twice in query 'q-release'",
            "Keep one",
        ),
        (
            ("temporal",),
            {"as_of_epoch": 4},
            "temporal.as_of_epoch",
            "query 'q-release' asks about epoch 4, and the last one is 3",
            "from 0 to 3",
        ),
        (
            ("temporal",),
            {"between_epochs": [1, 1]},
            "temporal.between_epochs",
            "query 'q-release' asks about [1, 1], which is empty",
            "the earlier epoch first",
        ),
        (
            ("temporal",),
            {"between_epochs": [2, 1]},
            "temporal.between_epochs",
            "asks about [2, 1], which is empty",
            "the earlier epoch first",
        ),
        (
            ("temporal",),
            {"between_epochs": [0, 4]},
            "temporal.between_epochs",
            "query 'q-release' asks about [0, 4], and the last epoch is 3",
            "End it at 3",
        ),
        (
            ("runs",),
            [],
            "runs",
            "query 'q-release' names no configuration",
            "Leave `runs` out",
        ),
        (
            ("runs", 1),
            "lexcal",
            "runs[1]",
            "'lexcal', in query 'q-release', is not a configuration",
            "Did you mean 'lexical'? There are: lexical, semantic, hybrid, lexical+exp",
        ),
        (
            ("runs", 1),
            "lexical",
            "runs[1]",
            "'lexical' is named twice in query 'q-release'",
            "Keep one",
        ),
        (
            ("filter",),
            {"wing": "home"},
            "relevant[0].doc",
            "outside what query 'q-release' asks about (wing 'home', room null)",
            "widen the filter",
        ),
        (
            ("temporal",),
            None,
            "relevant[0].doc",
            "'c' does not hold at the time query 'q-release' asks about (the present)",
            "change `temporal`",
        ),
        (
            ("temporal",),
            {"as_of_epoch": 1},
            "relevant[0].doc",
            "asks about (the end of epoch 1)",
            "change `temporal`",
        ),
        (
            ("temporal",),
            {"between_epochs": [1, 2]},
            "relevant[0].doc",
            "asks about (the ends of epochs 1 to 2)",
            "change `temporal`",
        ),
    ],
)
def test_queries(
    tmp_path: Path, path: JsonPath, value: Json, place: str, what: str, remedy: str
) -> None:
    data = with_value(("queries", 1, *path), value)

    check_refusal(tmp_path, data, f"queries[1].{place}", what, remedy)


def test_largest_grade_is_taken(tmp_path: Path) -> None:
    data = with_value(("queries", 1, "relevant", 0, "grade"), 31)

    assert read(tmp_path, data).queries[1].grades == {"c": 31}
