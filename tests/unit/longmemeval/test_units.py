"""What would be written is what was said, and nothing that gives the answer away."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import get_args

import pytest

from harness.dataset.longmemeval.policies import Granularity, Policies, TextPolicy
from harness.dataset.longmemeval.units import pool_size, units
from tests.haystacks import an_entry, read_one, said, with_sessions

CHAT = [
    said("user", "I moved to Oslo.", True),
    said("assistant", "How nice!", False),
    said("user", "It rains."),
]


@pytest.mark.parametrize(
    ("policies", "texts"),
    [
        (
            Policies(),
            ["user: I moved to Oslo.\nassistant: How nice!\nuser: It rains."],
        ),
        (Policies(text="user"), ["I moved to Oslo. It rains."]),
        (
            Policies(granularity="turn"),
            ["I moved to Oslo.", "How nice!", "It rains."],
        ),
        (
            Policies(text="user", granularity="turn"),
            ["I moved to Oslo.", "It rains."],
        ),
    ],
)
def test_the_text_of_a_document_follows_the_policy(
    tmp_path: Path, policies: Policies, texts: list[str]
) -> None:
    question = read_one(tmp_path, with_sessions({"answer_b": CHAT}, ["answer_b"]))

    assert [each.text for each in units(question, policies)] == texts


EVERY_CUT = list(product(get_args(TextPolicy), get_args(Granularity)))


@pytest.mark.parametrize(("text", "granularity"), EVERY_CUT)
def test_labels_ids_and_dates_move_no_text(
    tmp_path: Path, text: TextPolicy, granularity: Granularity
) -> None:
    policies = Policies(text=text, granularity=granularity)
    told = read_one(tmp_path, an_entry())
    untold = read_one(
        tmp_path,
        an_entry(
            answer_session_ids=["x"],
            haystack_session_ids=["x", "y", "z"],
            haystack_dates=None,
            question_date=None,
            haystack_sessions=[
                [{"role": turn["role"], "content": turn["content"]} for turn in chat]
                for chat in an_entry()["haystack_sessions"]
            ],
        ),
    )

    assert [replace(each, scored_as="") for each in units(told, policies)] == [
        replace(each, scored_as="") for each in units(untold, policies)
    ]


@pytest.mark.parametrize(("text", "granularity"), EVERY_CUT)
def test_keys_are_unique_and_of_a_safe_alphabet(
    tmp_path: Path, text: TextPolicy, granularity: Granularity
) -> None:
    entry = an_entry(haystack_session_ids=["Ä/b c"] * 3, answer_session_ids=["Ä/b c"])
    question = read_one(tmp_path, entry)

    keys = [
        each.key
        for each in units(question, Policies(text=text, granularity=granularity))
    ]

    assert len(set(keys)) == len(keys)
    assert set("".join(keys)) <= set("0123456789.")


def test_no_unit_is_lost_to_a_policy_of_sessions(tmp_path: Path) -> None:
    question = read_one(tmp_path, an_entry())

    for text in get_args(TextPolicy):
        assert len(units(question, Policies(text=text))) == len(question.sessions)


def test_the_pool_counts_blank_units_and_a_repeated_session_once(
    tmp_path: Path,
) -> None:
    digest = [said("assistant", "Nothing is due.")]
    entry = an_entry(
        haystack_session_ids=["twice", "answer_b", "twice", "digest"],
        haystack_sessions=[CHAT, CHAT, CHAT, digest],
        haystack_dates=None,
    )
    question = read_one(tmp_path, entry)

    assert pool_size(question, Policies(text="user")) == 3


def test_the_pool_counts_gold_that_is_never_written(tmp_path: Path) -> None:
    chat = [said("user", "A name?"), said("assistant", "Harbour", True)]
    question = read_one(tmp_path, with_sessions({"k": chat}, ["k"]))
    policies = Policies(text="user", granularity="turn", gold="any_turn")

    assert [each.scored_as for each in units(question, policies)] == ["k_1"]
    assert pool_size(question, policies) == 2
