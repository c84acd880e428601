"""Every layout is read, and what is malformed is named where it stands."""

import io
import json
import tracemalloc
from datetime import datetime
from pathlib import Path

import pytest

from harness.dataset.longmemeval.read import read_questions
from harness.dataset.longmemeval.stream import entries
from harness.errors import DatasetError
from tests.haystacks import (
    Json,
    a_chat,
    an_entry,
    large_entries,
    read,
    read_one,
    refused,
    said,
    with_sessions,
    write,
)


def changed(path: tuple[str | int, ...], value: Json) -> Json:
    """Return an entry in which the value at *path* is another."""
    entry = an_entry()
    spot = entry
    for step in path[:-1]:
        spot = spot[step]
    spot[path[-1]] = value
    return entry


def without(key: str) -> Json:
    return {name: value for name, value in an_entry().items() if name != key}


def test_a_question_is_read_whole(tmp_path: Path) -> None:
    question = read_one(tmp_path, an_entry())

    assert (question.index, question.id, question.type) == (
        0,
        "q1",
        "single-session-user",
    )
    assert (question.text, question.answer) == ("Where does q1 live?", "In Oslo")
    assert question.date == datetime(2023, 5, 30, 23, 40)
    assert question.answer_session_ids == ("answer_b",)
    assert [(each.position, each.id) for each in question.sessions] == [
        (0, "chat_a"),
        (1, "answer_b"),
        (2, "chat_c"),
    ]
    assert question.sessions[1].date == datetime(2023, 5, 21, 2, 57)
    assert question.sessions[1].turns == (
        ("user", "I moved to Oslo", True),
        ("assistant", "Nice", False),
    )
    assert question.sessions[0].turns[0].has_answer is None


def test_the_order_of_keys_does_not_matter(tmp_path: Path) -> None:
    backwards = dict(reversed(an_entry().items()))

    assert read(tmp_path, [backwards]) == read(tmp_path, [an_entry()])


def test_a_bare_question_is_read_as_a_list_of_one_is(tmp_path: Path) -> None:
    for entry in (an_entry(), dict(reversed(an_entry().items()))):
        assert read(tmp_path, entry) == read(tmp_path, [an_entry()])


@pytest.mark.parametrize("key", ["examples", "data", "0"])
def test_a_list_is_found_under_any_key(tmp_path: Path, key: str) -> None:
    wrapped = {
        "_notes": [{"not": "a question"}],
        "version": 1,
        "splits": ["s"],
        key: [an_entry("q1"), an_entry("q2")],
        "after": {"more": []},
    }

    assert read(tmp_path, wrapped) == read(tmp_path, [an_entry("q1"), an_entry("q2")])


def test_two_lists_of_objects_are_one_too_many(tmp_path: Path) -> None:
    error = refused(tmp_path, {"s": [an_entry("q1")], "m": [an_entry("q2")]})

    assert error.what == "both 's' and 'm' are lists of objects."


def test_columns_of_other_peoples_exports_are_passed_over(tmp_path: Path) -> None:
    entry = an_entry(num_tokens=115_000, question_embedding=[0.1, 0.2], _note="mine")
    entry["haystack_sessions"][0][0]["timestamp"] = "yesterday"

    assert read(tmp_path, [entry]) == read(tmp_path, [an_entry()])


def test_a_bare_question_may_have_a_column_of_objects(tmp_path: Path) -> None:
    entry = an_entry(expansions=[{"summary": "Oslo"}])

    assert read(tmp_path, entry) == read(tmp_path, [an_entry()])


@pytest.mark.parametrize("key", ["answer", "question_date", "haystack_dates"])
def test_what_no_metric_needs_may_be_missing_or_null(tmp_path: Path, key: str) -> None:
    for entry in (without(key), an_entry() | {key: None}):
        question = read_one(tmp_path, entry)

        assert question.text == "Where does q1 live?"
        assert (question.answer is None) == (key == "answer")
        assert (question.date is None) == (key == "question_date")
        assert (question.sessions[0].date is None) == (key == "haystack_dates")


@pytest.mark.parametrize(
    "key",
    [
        "question_id",
        "question",
        "haystack_session_ids",
        "haystack_sessions",
        "answer_session_ids",
    ],
)
def test_a_missing_key_is_named(tmp_path: Path, key: str) -> None:
    error = refused(tmp_path, [an_entry("q0"), without(key)])

    assert error.what == f"the key {key!r} is missing."
    assert error.where.endswith("haystacks.json: [1]")


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        (("question_id",), 7, "found 7, wanted a string."),
        (("question_id",), " ", "' ' is blank."),
        (("question",), "", "'' is blank."),
        (("answer",), True, "found true, wanted a string."),
        (("answer",), float("nan"), "found nan, wanted a string."),
        (("haystack_sessions",), "none", "found 'none', wanted a list."),
        (("haystack_sessions", 1), None, "found null, wanted a list."),
        (("haystack_sessions", 1, 0), "hi", "found 'hi', wanted an object."),
        (("haystack_sessions", 1, 0), {}, "the key 'role' is missing."),
        (
            ("haystack_sessions", 1, 0),
            {"role": "user"},
            "the key 'content' is missing.",
        ),
        (
            ("haystack_sessions", 1, 0, "role"),
            "User",
            "found 'User', wanted 'user' or 'assistant'.",
        ),
        (
            ("haystack_sessions", 1, 0, "role"),
            [],
            "found a list of 0, wanted a string.",
        ),
        (("haystack_sessions", 1, 0, "content"), 5, "found 5, wanted a string."),
        (
            ("haystack_sessions", 1, 0, "content"),
            ["a"],
            "found a list of 1, wanted a string.",
        ),
        (
            ("haystack_sessions", 1, 0, "has_answer"),
            "yes",
            "found 'yes', wanted true or false.",
        ),
        (
            ("haystack_sessions", 1, 0, "has_answer"),
            1,
            "found 1, wanted true or false.",
        ),
        (("haystack_session_ids", 2), 3, "found 3, wanted a string."),
        (("haystack_session_ids", 2), "", "'' is blank."),
        (("haystack_dates", 0), "2023/13/41 (Tue) 23:40", "is no date."),
        (("haystack_dates", 0), 20230520, "found 20230520, wanted a string."),
        (("question_date",), "last week", "'last week' is no date."),
        (
            ("answer_session_ids", 0),
            "answer_x",
            "'answer_x' is not the id of a session of this haystack.",
        ),
    ],
)
def test_a_malformed_value_is_named_by_question_session_and_turn(
    tmp_path: Path, path: tuple[str | int, ...], value: Json, what: str
) -> None:
    error = refused(tmp_path, [an_entry("q0"), changed(path, value)])

    steps = "".join(f"[{x}]" if isinstance(x, int) else f".{x}" for x in path)
    assert error.what.endswith(what)
    assert error.where.startswith(str(tmp_path / "haystacks.json: "))
    if path != ("question_id",):
        assert "question 'q1'" in error.where
    assert error.where.endswith(f": [1]{steps}")


def test_lists_that_do_not_go_together_are_counted_out(tmp_path: Path) -> None:
    error = refused(tmp_path, [an_entry(haystack_session_ids=["a", "answer_b"])])

    assert error.what == "found 3 sessions, 2 ids and 3 dates."


@pytest.mark.parametrize(("sessions", "dates"), [([], []), ([], None)])
def test_a_haystack_without_sessions_is_refused(
    tmp_path: Path, sessions: Json, dates: Json
) -> None:
    entry = an_entry(
        haystack_sessions=sessions, haystack_session_ids=[], haystack_dates=dates
    )

    assert "found no sessions" in refused(tmp_path, [entry]).what


def test_one_id_for_two_questions_is_refused(tmp_path: Path) -> None:
    error = refused(tmp_path, [an_entry("q1"), an_entry("q2"), an_entry("q1")])

    assert error.what == "'q1' is the id of entry 0 too."
    assert error.where.endswith("[2].question_id")


@pytest.mark.parametrize("entry", [5, "q1", [an_entry()], None])
def test_an_entry_that_is_no_object_is_refused(tmp_path: Path, entry: Json) -> None:
    assert "wanted an object." in refused(tmp_path, [entry]).what


@pytest.mark.parametrize("content", ["[]", "{}", '{"examples": []}', '{"seed": 7}'])
def test_a_file_without_questions_is_refused(tmp_path: Path, content: str) -> None:
    assert refused(tmp_path, content).what == "found no questions."


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "the file is empty."),
        (b" \n", "the file is empty."),
        (b"version https://git-lfs.github.com/spec/v1\n", "starts with 'v'"),
        (b"PAR1", "starts with 'P'"),
        (b"\xff\xfe[\x00", "byte 0 (0xFF) is not UTF-8"),
    ],
)
def test_a_file_that_is_no_json_is_told_by_its_beginning(
    tmp_path: Path, content: bytes, what: str
) -> None:
    assert what in refused(tmp_path, content).what


def test_a_question_on_every_line_is_refused_with_a_remedy(tmp_path: Path) -> None:
    lines = "\n".join(json.dumps(an_entry(name)) for name in ("q1", "q2"))

    error = refused(tmp_path, lines)

    assert error.what == "more than one value stands in the file."
    assert "one list" in error.remedy


def test_missing_files_folders_and_pipes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name, what in (("none", "no such file"), ("folder", "a folder")):
        with pytest.raises(DatasetError, match=what):
            next(read_questions(tmp_path / name))
    with pytest.raises(DatasetError, match="a pipe or a device"):
        next(read_questions(Path("/dev/null")))


def test_a_limit_looks_at_nothing_behind_it(tmp_path: Path) -> None:
    broken = f"[{json.dumps(an_entry('q1'))}, {json.dumps(an_entry('q2'))}, nonsense"
    path = write(tmp_path, broken)

    assert [each.id for each in read_questions(path, limit=1)] == ["q1"]
    assert [each.id for each in read_questions(path, limit=2)] == ["q1", "q2"]
    assert "broken" in refused(tmp_path, broken).what


def test_stopping_early_reads_no_further_than_the_window() -> None:
    data = json.dumps(list(large_entries(16))).encode()
    file = io.BytesIO(data)

    next(entries(file, "f.json"))

    assert len(data) > 8_000_000
    assert file.tell() <= 2 << 20


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("w") as file:
        for number, entry in enumerate(large_entries(60)):
            file.write(("[" if number == 0 else ", ") + json.dumps(entry))
        file.write("]")
    assert path.stat().st_size > 30_000_000

    tracemalloc.start()
    try:
        count = sum(1 for _ in read_questions(path))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert count == 60
    assert peak < 8 << 20


def test_special_tokens_in_chats_are_plain_text(tmp_path: Path) -> None:
    text = "Tell me about <|endoftext|> and <s>[INST] and {{name}} and $HOME"
    entry = with_sessions({"answer_b": [said("user", text)]}, ["answer_b"])

    assert read_one(tmp_path, entry).sessions[0].turns[0].text == text


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("a\\u0000b", "a\ufffdb"),
        ("a\\ud83db", "a\ufffdb"),
        ("a\\udc00", "a\ufffd"),
        ("\\ud83d\\ude00", "\U0001f600"),
        ("\\ud83d\\ude00\\ud83d", "\U0001f600\ufffd"),
    ],
)
def test_what_no_daemon_can_store_is_replaced(
    tmp_path: Path, written: str, wanted: str
) -> None:
    text = json.dumps([with_sessions({"s": [said("user", "MARK")]}, [])])

    (question,) = read(tmp_path, text.replace("MARK", written))

    assert question.sessions[0].turns[0].text == wanted


def test_other_scripts_are_kept(tmp_path: Path) -> None:
    text = "Grüße, 東京, Привет, 한국어, 😀"
    for ascii_only in (True, False):
        entry = with_sessions({"s": [said("user", text)]}, [])
        content = json.dumps([entry], ensure_ascii=ascii_only)

        (question,) = read(tmp_path, content)

        assert question.sessions[0].turns[0].text == text


def test_questions_are_numbered_as_they_stand(tmp_path: Path) -> None:
    names = ["q9", "q1", "q5"]
    questions = read(tmp_path, [an_entry(name) for name in names])

    assert [(each.index, each.id) for each in questions] == list(enumerate(names))


def test_a_session_may_be_empty(tmp_path: Path) -> None:
    entry = with_sessions({"empty": [], "chat": a_chat("bread")}, [])

    assert read_one(tmp_path, entry).sessions[0].turns == ()
