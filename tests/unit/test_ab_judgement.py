"""Relevance and speed on the same answers, and the exit code they come to."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import jsonschema
import pytest
from rich.console import Console

from harness.errors import ExitCode, IncomparableError, ReportFormatError
from harness.judge.ab.document import as_result
from harness.judge.ab.judgement import AbJudgement, Bounds, judge_ab
from harness.judge.ab.terminal import print_ab
from harness.report.ab import AbResult, SideFacts, ab_json, load_ab, save_ab
from harness.report.model import ConfigurationResult, Report, ScoredHit
from harness.report.schema import AB_PATH, ab_schema, ab_schema_json
from tests.builders import a_dataset, a_report, a_violation, some_invariants
from tests.pairs import a_scored_configuration

QUERIES = 12
GOOD = (1.0,) * QUERIES


@dataclass(frozen=True)
class Measured:
    """One round, as whoever measured it hands it over."""

    floor: Sequence[tuple[ConfigurationResult, ConfigurationResult]]
    base: Report
    candidate: Report
    twin: Literal["instance", "connection"] | None = "instance"
    fresh: bool = True


def timed(
    ratio: float = 1.0,
    values: Sequence[float] = GOOD,
    *,
    passes: int = 3,
) -> ConfigurationResult:
    """Give every query its value, and times of *ratio* times its base's."""
    plain = a_scored_configuration(values)
    rankings = [
        ranking.model_copy(
            update={
                "service_ms": tuple(
                    (5.0 + place) * ratio * (1 + 0.001 * (place % 3))
                    for _ in range(passes)
                )
            }
        )
        for place, ranking in enumerate(plain.rankings)
    ]
    return plain.model_copy(update={"rankings": tuple(rankings)})


def measured(
    candidate: ConfigurationResult,
    *,
    base: ConfigurationResult | None = None,
    twin: ConfigurationResult | None = None,
    kind: Literal["instance", "connection"] | None = "instance",
    fresh: bool = True,
    **changed: object,
) -> Measured:
    sound = base or timed()
    return Measured(
        floor=((sound, twin or timed(1.002)),),
        base=a_report(sound),
        candidate=a_report(candidate, **changed),
        twin=kind,
        fresh=fresh,
    )


def twice(candidate: ConfigurationResult, **how: object) -> AbJudgement:
    one = measured(candidate, **how)  # type: ignore[arg-type] # passed on as it came
    return judge_ab([one, one], Bounds())


def documented(found: AbJudgement) -> AbResult:
    side = SideFacts(
        asked="release",
        settings={"PALACE_EXACT_LIMIT": "0"},
        runtime="embedded",
        daemon=a_report().daemon,
        reports=("x-base-1.json",),
    )
    return as_result(found, a_report(), side, side)


def printed(found: AbJudgement) -> str:
    console = Console(file=io.StringIO(), width=80)
    print_ab(documented(found), found, console=console)
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


# --- what it comes to


def test_nothing_changed_is_no_loss() -> None:
    found = judge_ab([measured(timed())], Bounds())

    assert found.exit_code is ExitCode.PASSED
    assert printed(found).rstrip().endswith("No loss shown.")


def test_slower_in_two_rounds_fails() -> None:
    found = twice(timed(1.2))

    assert [each.configuration for each in found.slower] == ["hybrid"]
    assert found.exit_code is ExitCode.GATE_FAILED
    assert "FAILED: hybrid slower." in printed(found)


def test_slower_in_one_round_is_inconclusive_and_passes_unless_told_otherwise() -> None:
    one = measured(timed(1.2))

    assert judge_ab([one], Bounds()).exit_code is ExitCode.PASSED
    strict = judge_ab([one], Bounds(inconclusive="fail"))
    assert strict.exit_code is ExitCode.GATE_FAILED
    assert "hybrid median inconclusive" in printed(strict)


def test_faster_passes() -> None:
    assert twice(timed(0.8)).exit_code is ExitCode.PASSED


def test_worse_relevance_fails_though_it_is_faster() -> None:
    found = twice(timed(0.8, (0.5,) * QUERIES))

    assert found.relevance.word == "worse"
    assert found.exit_code is ExitCode.GATE_FAILED
    assert "FAILED: hybrid worse." in printed(found)


def test_relevance_over_budget_but_not_shown_is_up_to_the_caller() -> None:
    one = measured(timed(values=(*GOOD[1:], 0.0)))

    assert judge_ab([one], Bounds()).exit_code is ExitCode.PASSED
    strict = judge_ab([one], Bounds(inconclusive="fail"))
    assert strict.exit_code is ExitCode.GATE_FAILED


def test_a_hit_of_the_candidate_that_broke_an_invariant_fails() -> None:
    broken = some_invariants(violations=[a_violation()])
    found = judge_ab([measured(timed(), invariants=broken)], Bounds())

    assert found.violations == 1
    assert found.exit_code is ExitCode.GATE_FAILED


def test_other_data_is_not_comparable() -> None:
    other = a_dataset(sha256="5e" * 32)
    found = judge_ab([measured(timed(), dataset=other)], Bounds())

    assert found.exit_code is ExitCode.NOTHING_MEASURED
    assert "NOT COMPARABLE" in printed(found)


def test_other_queries_are_refused() -> None:
    with pytest.raises(IncomparableError, match="did not answer the same queries"):
        judge_ab([measured(timed(values=GOOD[1:]))], Bounds())


def test_without_times_relevance_alone_decides() -> None:
    plain = a_scored_configuration(GOOD)
    bare = Measured((), a_report(plain), a_report(plain), twin=None)

    found = judge_ab([bare], Bounds())

    assert {each.word for each in found.latency} == {None}
    assert found.exit_code is ExitCode.PASSED
    assert "Not measured: nothing was timed." in printed(found)


# --- what a reader must know


def codes(found: AbJudgement) -> list[str]:
    return [each.code for each in found.warnings]


def test_a_plain_run_has_no_warning() -> None:
    assert codes(judge_ab([measured(timed())], Bounds())) == []


def test_a_floor_over_a_second_connection_is_said() -> None:
    found = judge_ab([measured(timed(), kind="connection", fresh=False)], Bounds())

    assert codes(found) == ["floor_of_one_process"]


def test_a_direction_found_twice_in_one_process_is_said() -> None:
    assert codes(twice(timed(1.2), fresh=False)) == ["same_processes"]


def test_a_base_that_answers_otherwise_than_its_twin_is_said() -> None:
    other = timed()
    hits = (ScoredHit(document="d1", score=1.0),)
    moved = other.rankings[0].model_copy(update={"hits": hits})
    twin = other.model_copy(update={"rankings": (moved, *other.rankings[1:])})

    found = judge_ab([measured(timed(), twin=twin)], Bounds())

    assert codes(found) == ["base_moves"]
    assert found.rounds[0].floor[0].rankings_moved == 1


# --- tails


@pytest.mark.parametrize(("passes", "word"), [(166, None), (167, "slower")])
def test_tails_are_judged_from_two_thousand_samples_a_side(
    passes: int, word: str | None
) -> None:
    one = measured(
        timed(1.5, passes=passes),
        base=timed(passes=passes),
        twin=timed(passes=passes),
    )
    *_, tail = judge_ab([one, one], Bounds()).latency

    # 12 queries: 1,992 and 2,004 samples.
    assert tail.figure == "p95"
    assert tail.word == word


# --- the file


def test_the_result_is_read_back_as_it_was() -> None:
    result = documented(twice(timed(1.2)))

    assert AbResult.model_validate_json(ab_json(result)) == result


def test_the_result_obeys_its_schema_which_is_committed() -> None:
    result = documented(twice(timed(1.2)))

    jsonschema.validate(result.model_dump(mode="json"), ab_schema())
    assert AB_PATH.read_bytes() == ab_schema_json(), "run `just fmt`, review the change"


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text('{"format": "harness-report", "version": 1}')

    with pytest.raises(ReportFormatError, match="not a side-by-side comparison"):
        load_ab(path)


def test_a_stored_result_loads(tmp_path: Path) -> None:
    path = tmp_path / "ab.json"
    result = documented(twice(timed()))
    save_ab(result, path)

    assert load_ab(path) == result


def test_the_same_answers_give_the_same_result_to_the_bit() -> None:
    assert ab_json(documented(twice(timed(1.1)))) == ab_json(
        documented(twice(timed(1.1)))
    )
