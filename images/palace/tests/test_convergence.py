from __future__ import annotations

import pytest

from palace.convergence import Candidate, Likeness, entity_key, possibly_same, typo_of


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("Alice Smith", "alice smith"),
        ("  ALICE--smith ", "alice smith"),
        ("U.S.", "us"),
        ("O'Brien", "obrien"),
        ("O\u2019Brien", "obrien"),
        ("C++", "c++"),
        ("C#", "c#"),
        ("foo_bar", "foo bar"),
        ("!!!", ""),
    ],
)
def test_spellings_of_one_name_share_a_key(name: str, wanted: str) -> None:
    assert entity_key(name) == wanted


def test_one_edit_from_one_candidate_is_a_typo() -> None:
    got = typo_of("postgers", [Candidate(1, "postgres"), Candidate(2, "mysql")])

    assert got == Likeness(1, 1 - 1 / 8)


def test_two_candidates_one_edit_away_are_no_typo() -> None:
    assert typo_of("martin", [Candidate(1, "martina"), Candidate(2, "marten")]) is None


def test_short_keys_have_no_typos() -> None:
    assert typo_of("alice", [Candidate(1, "alicf")]) is None


def test_possibly_same_are_within_two_edits_and_three_quarters() -> None:
    candidates = [
        Candidate(1, "jonathan"),  # 2 edits of 8: 0.75
        Candidate(2, "jonathon"),  # 1 edit of 8
        Candidate(3, "dorothea"),
    ]

    got = possibly_same("jonathxn", candidates)

    assert [likeness.seq for likeness in got] == [1, 2]


def test_possibly_same_are_five_at_most_the_most_alike_first() -> None:
    candidates = [Candidate(n, f"workshop{n}x") for n in range(6)]
    candidates.append(Candidate(9, "workshop0"))

    got = possibly_same("workshop0x", candidates)

    assert len(got) == 5
    assert got[0] == Likeness(0, 1.0)
    assert got[1:] == [Likeness(n, 0.9) for n in (1, 2, 3, 4)]


def test_keys_below_four_letters_are_possibly_nothing() -> None:
    assert possibly_same("bob", [Candidate(1, "rob")]) == []
