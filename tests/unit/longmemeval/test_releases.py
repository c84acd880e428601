"""A file is known by its bytes, and an oracle by its content."""

import hashlib
import json
from pathlib import Path

import pytest

from harness.dataset.longmemeval.releases import RELEASES, file_facts, known_release
from harness.errors import DatasetError
from tests.haystacks import a_chat, an_entry, said, with_sessions, write


def test_facts_of_an_unknown_file(tmp_path: Path) -> None:
    path = write(tmp_path, [an_entry()])
    data = path.read_bytes()

    facts = file_facts(path)

    assert (facts.name, facts.size) == ("haystacks.json", len(data))
    assert facts.sha256 == hashlib.sha256(data).hexdigest()
    assert facts.release is None
    assert not facts.is_oracle


def test_a_release_is_known_by_size_and_hash() -> None:
    cleaned = "d6f21ea9d60a0d56f34a05b609c79c88a451d2ae03597821ea3d5a9678c3a442"

    assert known_release(277_383_467, cleaned) == "LongMemEval S, cleaned (2025-09)"
    assert known_release(277_383_468, cleaned) is None
    assert known_release(277_383_467, cleaned[::-1]) is None


def test_the_release_of_which_only_a_prefix_is_public_needs_its_size_too() -> None:
    begun = "08d8dad4" + "0" * 56

    assert known_release(278_025_796, begun) == "LongMemEval S, original (2024)"
    assert known_release(278_025_797, begun) is None


def test_no_two_releases_are_alike() -> None:
    assert len({each.sha256 for each in RELEASES}) == len(RELEASES) == 5
    assert len({each.name for each in RELEASES}) == 5


def test_an_oracle_is_told_by_its_content(tmp_path: Path) -> None:
    evidence = {"answer_1": [said("user", "Two", True)], "answer_2": a_chat("hives")}
    entries = [
        with_sessions(evidence, list(evidence)) | {"question_id": name}
        for name in ("q1", "q2_abs")
    ]

    assert file_facts(write(tmp_path, entries)).is_oracle
    assert not file_facts(write(tmp_path, [*entries, an_entry("q3")])).is_oracle


def test_a_file_that_is_no_oracle_is_told_by_its_first_question(tmp_path: Path) -> None:
    path = write(tmp_path, f"[{json.dumps(an_entry())}, nonsense, nonsense]")

    assert not file_facts(path).is_oracle


def test_facts_of_no_file(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="no such file"):
        file_facts(tmp_path / "none.json")
