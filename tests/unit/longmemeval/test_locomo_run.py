"""LoCoMo's layout goes through the same run as LongMemEval's."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli import main
from harness.dataset.longmemeval.policies import Policies
from harness.dataset.longmemeval.releases import file_facts
from harness.errors import ExitCode
from harness.measure.longmemeval.survey import survey
from tests.haystack_runs import a_palace, a_plan, facts_of, measured, written

# Any: what a person may write into a JSON file, wrong kinds included.
Json = Any


def a_turn(name: str, text: str, **changes: Json) -> Json:
    return {"speaker": "Ann", "dia_id": name, "text": text} | changes


def a_conversation(name: str, *, where: str) -> Json:
    """Return a talk of two sessions, the second of which says where Ann lives."""
    return {
        "sample_id": name,
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Ben",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [a_turn("D1:1", "we baked bread")],
            "session_2_date_time": "10:00 am on 9 May, 2023",
            "session_2": [a_turn("D2:1", f"I moved to {where}", blip_caption="a van")],
            "session_3_date_time": "10:00 am on 10 May, 2023",
        },
        "qa": [
            {
                "question": f"Who moved to {where}?",
                "answer": "Ann",
                "evidence": ["D2:1"],
                "category": 4,
            },
            {
                "question": "When did Ben sing?",
                "adversarial_answer": "Never",
                "evidence": ["D1:1"],
                "category": 5,
            },
        ],
    }


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "locomo.json"
    samples = [
        a_conversation("one", where="Oslo"),
        a_conversation("two", where="Rome"),
    ]
    found.write_text(json.dumps(samples))
    return found


def test_a_locomo_file_is_measured_as_it_is(path: Path) -> None:
    palace = a_palace()
    report = measured(a_plan(path), palace)
    facts = facts_of(report)

    assert facts.file.layout == "LoCoMo"
    assert [each.type for each in facts.questions] == [
        "4 single-hop",
        "5 adversarial",
    ] * 2
    assert (facts.counts.read, facts.counts.scored) == (4, 2)
    assert report.configurations[0].metrics["hit@1"] == 1.0
    assert len(written(palace)) == 8


def test_what_is_odd_in_a_locomo_file_is_a_caution(path: Path) -> None:
    report = measured(a_plan(path), a_palace())
    texts = [each.text for each in report.warnings if each.code == "locomo"]

    assert any("2 dates are of sessions that are not there" in text for text in texts)
    assert any("2 questions have no answer key" in text for text in texts)
    assert any("many tools have them the other way round" in text for text in texts)


def test_nothing_of_a_locomo_file_tells_evidence_to_the_daemon(path: Path) -> None:
    palace = a_palace()
    measured(a_plan(path), palace)
    sent = b"".join(each.body for each in palace.requests)
    for name in (b"D2:1", b"D1:1", b"session_", b"evidence", b"8 May", b"one"):
        assert name not in sent


def test_a_locomo_file_is_surveyed_and_known_by_its_layout(path: Path) -> None:
    assert survey(path, Policies(), limit=3).questions == 3
    facts = file_facts(path)
    assert (facts.layout, facts.release, facts.is_oracle) == ("LoCoMo", None, False)


def test_a_dry_run_says_which_layout_it_found(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["longmemeval", str(path), "--dry-run"]) == ExitCode.PASSED
    assert "LoCoMo layout" in " ".join(capsys.readouterr().out.split())
