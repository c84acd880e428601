"""A doubt is applied as the list says, and nothing is mended behind anyone's back."""

from pathlib import Path

import pytest

from harness.dataset.longmemeval.errata import Errata, read_errata
from harness.dataset.longmemeval.policies import Policies
from harness.errors import DatasetError
from tests.datafiles import ROOT
from tests.haystacks import an_entry, read_one

LISTED = """
[[question]]
id = "wrong-session"
doubts = "evidence"
what = "It says so in chat_c."
source = "somewhere#1"
gold = ["chat_c"]

[[question]]
id = "hopeless"
doubts = "evidence"
what = "It says so nowhere."
source = "somewhere#2"

[[question]]
id = "wrong-answer"
doubts = "answer"
what = "It is Bergen."
source = "somewhere#3"
"""


def errata(folder: Path, text: str) -> Errata:
    path = folder / "errata.toml"
    path.write_text(text, "utf-8")
    return read_errata(path)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("wrong-session", frozenset({"chat_c"})),
        ("hopeless", None),
        ("wrong-answer", frozenset({"answer_b"})),
        ("unlisted", frozenset({"answer_b"})),
    ],
)
def test_gold_is_corrected_left_out_or_kept(
    tmp_path: Path, name: str, wanted: frozenset[str] | None
) -> None:
    question = read_one(tmp_path, an_entry(name))

    assert errata(tmp_path, LISTED).apply(question, Policies()) == wanted


def test_sessions_cannot_correct_turns(tmp_path: Path) -> None:
    question = read_one(tmp_path, an_entry("wrong-session"))
    by_turn = Policies(granularity="turn", gold="any_turn")

    assert errata(tmp_path, LISTED).apply(question, by_turn) is None
    kept = read_one(tmp_path, an_entry("wrong-answer"))
    turns = errata(tmp_path, LISTED).apply(kept, by_turn)
    assert turns == frozenset({"answer_b_1"})


def test_a_correction_to_a_session_that_is_not_there_is_refused(tmp_path: Path) -> None:
    listed = errata(tmp_path, LISTED.replace("chat_c", "chat_z"))
    question = read_one(tmp_path, an_entry("wrong-session"))

    with pytest.raises(DatasetError, match="'chat_z' is not the id of a session"):
        listed.apply(question, Policies())


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('"hopeless"', '"wrong-answer"', "'wrong-answer' is listed twice"),
        ('doubts = "answer"', 'doubts = "taste"', "wanted 'evidence' or 'answer'"),
        ('source = "somewhere#2"', "", "the key 'source' is missing"),
        ('source = "somewhere#2"', 'sauce = "x"', "unknown key 'sauce'"),
        ('["chat_c"]', "[]", "found 0 sessions under gold"),
        ('source = "somewhere#3"', 'source = "s"\ngold = ["a"]', "found 1 sessions"),
        ("[[question]]", "[[question", "cannot be read as TOML"),
        ('id = "hopeless"', "id = 7", "found 7, wanted a string"),
    ],
)
def test_a_malformed_list_is_refused(
    tmp_path: Path, old: str, new: str, what: str
) -> None:
    with pytest.raises(DatasetError) as caught:
        errata(tmp_path, LISTED.replace(old, new))

    assert what in caught.value.what
    assert caught.value.where.startswith(str(tmp_path))


def test_the_committed_list_names_every_doubt_and_its_source() -> None:
    listed = read_errata(ROOT / "datasets" / "longmemeval-errata.toml")

    assert {name: each.doubts for name, each in listed.entries.items()} == {
        "370a8ff4": "answer",
        "gpt4_88806d6e": "answer",
        "eac54add": "evidence",
        "dd2973ad": "evidence",
        "9aaed6a3": "evidence",
        "gpt4_f420262d": "evidence",
    }
    assert all("#" in each.source and each.what for each in listed.entries.values())
