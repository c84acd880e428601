"""The look through a file before anything is started."""

from pathlib import Path

import pytest

from harness.dataset.longmemeval.policies import Policies
from harness.errors import DatasetError
from harness.measure.longmemeval.prepare import BATCH_MOST
from harness.measure.longmemeval.survey import survey
from tests.haystack_runs import a_file, a_palace, a_plan, measured, written
from tests.haystacks import a_chat, an_entry, said, with_sessions


def test_the_counts_are_those_of_the_run(tmp_path: Path) -> None:
    blank = an_entry("q3")
    blank["haystack_sessions"][0] = [said("user", "")]
    path = a_file(
        tmp_path,
        an_entry("q1"),
        an_entry("q2_abs"),
        blank,
        with_sessions({"x": a_chat("bread")}, [], question_id="none"),
    )
    given: list[str] = []
    found = survey(
        path,
        Policies(),
        texts=lambda documents, queries: given.extend([*documents, *queries]),
    )
    palace = a_palace()
    measured(a_plan(path), palace)

    texts = [drawer["content"] for drawer in written(palace)]
    asked = [f"Where does {name} live?" for name in ("q1", "q2_abs", "q3")]
    assert (found.questions, found.asked, found.scored) == (4, 3, 2)
    assert found.unscored == {"abstention": 1, "no gold": 1}
    assert (found.sessions, found.documents, found.blank) == (10, 8, 1)
    assert found.documents == len(texts)
    assert found.characters == sum(map(len, texts))
    assert sorted(given) == sorted([*texts, *asked])
    assert found.requests == len(palace.sent("POST", "/batch"))


def test_a_long_haystack_takes_several_requests(tmp_path: Path) -> None:
    sessions = {f"s{number}": a_chat("bread") for number in range(BATCH_MOST + 1)}
    path = a_file(tmp_path, with_sessions(sessions, ["s0"]))
    assert survey(path, Policies()).requests == 2


def test_a_limit_stops_before_what_is_wrong_behind_it(tmp_path: Path) -> None:
    path = a_file(tmp_path, an_entry("q1"), an_entry("q2", question=7))
    assert survey(path, Policies(), limit=1).questions == 1
    with pytest.raises(DatasetError, match="7"):
        survey(path, Policies())
