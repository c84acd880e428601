"""Nothing that is sent tells evidence from filler: a daemon that records proves it."""

import copy
from pathlib import Path

import pytest

from harness.dataset.longmemeval.policies import Granularity, Policies, TextPolicy
from harness.report.longmemeval import Isolation
from tests.fake_palace import FakePalace
from tests.haystack_runs import (
    WordEmbedder,
    a_file,
    a_palace,
    a_plan,
    measured,
    what_was_sent,
)
from tests.haystacks import Json, a_chat, an_entry, said

SHORT = ["one", "two", "three"]


def with_evidence(place: int, name: str) -> Json:
    """Return one haystack with the evidence at *place*; its texts are always these."""
    ids = [f"ultrachat_{number}" for number in range(3)]
    ids[place] = f"answer_{name}_1"
    sessions = [
        [said("user", f"{word} {name}"), said("assistant", word)] for word in SHORT
    ]
    for turn in sessions[place]:
        turn["has_answer"] = turn["role"] == "user"
    return an_entry(
        name,
        question_type="multi-session" if place else "temporal-reasoning",
        answer="elsewhere" if place else "here",
        question_date="2023/05/30 (Tue) 23:40" if place else "2023/06/30 (Fri) 10:00",
        haystack_session_ids=ids,
        haystack_sessions=sessions,
        answer_session_ids=[ids[place]],
    )


def recorded(
    folder: Path,
    places: tuple[int, int],
    policies: Policies,
    isolation: Isolation,
    embedder: WordEmbedder | None,
) -> FakePalace:
    """Measure a file with its evidence at these places; return what recorded it."""
    folder.mkdir()
    path = a_file(
        folder, with_evidence(places[0], "ann"), with_evidence(places[1], "bob")
    )
    palace = a_palace()
    plan = a_plan(path, policies=policies, isolation=isolation, embedder=embedder)
    measured(plan, palace, embedder)
    return palace


@pytest.mark.parametrize("isolation", ["wing", "isolated", "shared"])
@pytest.mark.parametrize("granularity", ["session", "turn"])
@pytest.mark.parametrize("text", ["full", "user"])
@pytest.mark.parametrize("embeds", [False, True])
def test_two_files_that_differ_in_their_evidence_alone_are_sent_as_the_same_bytes(
    tmp_path: Path,
    isolation: Isolation,
    granularity: Granularity,
    text: TextPolicy,
    embeds: bool,
) -> None:
    policies = Policies(text=text, granularity=granularity)
    one, other = (
        recorded(
            tmp_path / f"{places}",
            places,
            policies,
            isolation,
            WordEmbedder() if embeds else None,
        )
        for places in ((0, 2), (2, 1))
    )

    assert what_was_sent(one) == what_was_sent(other)
    assert len(one.sent("POST", "/search")) == (6 if embeds else 2)


def test_nothing_but_what_was_said_is_sent(tmp_path: Path) -> None:
    entry = an_entry(
        "answer_me",
        haystack_session_ids=["ultrachat_7", "answer_9c", "sharegpt_3"],
        answer_session_ids=["answer_9c"],
    )
    palace = a_palace()
    measured(a_plan(a_file(tmp_path, entry)), palace)

    sent = b"".join(
        path.encode() + body for _, path, body in what_was_sent(palace)
    ).replace(b"Where does answer_me live?", b"")
    for told in (b"answer", b"ultrachat", b"sharegpt", b"2023", b"Oslo\x00"):
        assert told not in sent
    assert b"I moved to Oslo" in sent


def test_names_are_not_taken_from_the_file_a_text_stands_in(tmp_path: Path) -> None:
    """A file's hash changes with its labels, so a name of it would tell of them."""
    plain = an_entry("q1")
    spaced = copy.deepcopy(plain) | {"haystack_dates": None, "comment": "a column"}
    palaces = []
    for name, entry in (("one", plain), ("two", spaced)):
        (tmp_path / name).mkdir()
        palace = a_palace()
        measured(a_plan(a_file(tmp_path / name, entry)), palace)
        palaces.append(what_was_sent(palace))
    assert palaces[0] == palaces[1]


def test_documents_of_one_text_have_names_of_their_own(tmp_path: Path) -> None:
    entry = an_entry("q1")
    entry["haystack_sessions"] = [a_chat("bread")] * 3
    palace = a_palace()
    measured(a_plan(a_file(tmp_path, entry)), palace)

    names = [drawer.name for drawer in palace.drawers.values()]
    assert len(set(names)) == len(names) == 3
