"""A date keeps its clock, and what is no date is never one."""

from datetime import datetime
from pathlib import Path

import pytest

from harness.dataset.longmemeval.dates import has_wrong_weekday, parse_date
from harness.dataset.longmemeval.defects import find_defects
from tests.haystacks import an_entry, read_one, refused

AT_2340 = datetime(2023, 5, 30, 23, 40)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2023/05/30 (Tue) 23:40", AT_2340),
        ("2023/05/30 23:40", AT_2340),
        ("2023/05/30 (Wed) 23:40", AT_2340),
        ("2023/05/30 (Tuesday) 23:40", AT_2340),
        ("2023/05/30 (Tue)  23:40:00", AT_2340),
        (" 2023-05-30 23:40\n", AT_2340),
        ("2023-05-30T23:40:00", AT_2340),
        ("2023-05-31T01:40:00+02:00", AT_2340),
        ("2023-05-30T23:40:00Z", AT_2340),
        ("2023/5/3 (Wed) 7:05", datetime(2023, 5, 3, 7, 5)),
        ("2026-04-01", datetime(2026, 4, 1)),
        ("2024/02/29 (Thu) 00:00", datetime(2024, 2, 29)),
    ],
)
def test_a_date_is_read_with_its_clock(text: str, wanted: datetime) -> None:
    assert parse_date(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "2023/05/30 (Tue) 23:40 or so",
        "2023/05/30 (Tue",
        "2023/02/29 (Wed) 10:00",
        "2023/05/30 (Tue) 24:10",
        "30/05/2023",
        "0000/00/00",
        "0001-01-01T00:00:00+23:59",
        "\N{ARABIC-INDIC DIGIT TWO}023/05/30",
    ],
)
def test_what_is_no_date_is_none_and_never_today(text: str) -> None:
    assert parse_date(text) is None


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("2023/05/30 (Tue) 23:40", False),
        ("2023/05/30 (tuesday) 23:40", False),
        ("2023/05/30 23:40", False),
        ("2023/05/30 (Wed) 23:40", True),
        ("2023/05/30 (Die) 23:40", True),
        ("2023-05-30T23:40:00", False),
        (None, False),
    ],
)
def test_a_weekday_is_only_ever_checked(text: str | None, wrong: bool) -> None:
    assert has_wrong_weekday(text) is wrong


@pytest.mark.parametrize("clock", ["00:00", "00:01", "09:30", "12:00", "23:59"])
def test_the_clock_survives_a_round_trip(tmp_path: Path, clock: str) -> None:
    text = f"2023/05/30 (Tue) {clock}"
    question = read_one(tmp_path, an_entry(question_date=text))

    assert question.date_text == text
    assert question.date is not None
    assert question.date.strftime("%Y/%m/%d (%a) %H:%M") == text


def test_an_unreadable_date_names_question_and_session(tmp_path: Path) -> None:
    dates = ["2023/05/20 (Sat) 02:21", "a Sunday", "2023/05/22 (Mon) 03:51"]
    error = refused(tmp_path, [an_entry(haystack_dates=dates)])

    assert error.what == "'a Sunday' is no date."
    assert error.where.endswith("question 'q1': [0].haystack_dates[1]")


def test_a_null_date_is_no_date(tmp_path: Path) -> None:
    question = read_one(tmp_path, an_entry(haystack_dates=[None, None, None]))

    assert [session.date for session in question.sessions] == [None] * 3


def test_wrong_weekdays_are_remarked_on_once(tmp_path: Path) -> None:
    dates = ["2023/05/20 (Sun) 02:21", "2023/05/21 (Mon) 02:57", "2023/05/22 03:51"]
    defects = find_defects(read_one(tmp_path, an_entry(haystack_dates=dates)))

    assert defects.wrong_weekdays == 2
    assert [each for each in defects.remarks() if "weekday" in each] == [
        "2 dates name a weekday they do not fall on: it is ignored."
    ]
