"""A release build beside itself, with real processes: nothing is shown, all is kept."""

from pathlib import Path

import pytest

from harness.cli import main
from harness.errors import ExitCode
from harness.report.ab import load_ab
from harness.report.quality import quality_json
from harness.report.store import load

pytestmark = [pytest.mark.postgres, pytest.mark.slow]


def test_release_beside_release_shows_no_loss(tmp_path: Path) -> None:
    out = tmp_path / "ab.json"
    words = ["ab", "release", "release", "--runtime", "embedded"]
    code = main([*words, "--repetitions", "4", "--out", str(out)])

    result = load_ab(out)
    base, candidate = (
        load(out.with_name(side.reports[0])) for side in (result.base, result.candidate)
    )
    assert code == ExitCode.PASSED
    assert quality_json(base, evidence=True) == quality_json(candidate, evidence=True)
    assert {each.word for each in result.relevance} == {"same"}
    # A busy machine may not be able to tell, and must not tell a difference.
    assert {each.word for each in result.latency} <= {"same", "inconclusive", None}
    for once in result.rounds:
        assert once.fresh
        assert [len(each.queries) for each in once.floor] == [39, 39, 39, 5]
        assert not any(each.rankings_moved for each in (*once.floor, *once.measured))
