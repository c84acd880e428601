"""A whole evaluation against a fake on a loopback port."""

import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from harness.dataset.model import Dataset
from harness.errors import (
    DaemonDiedError,
    DaemonError,
    HarnessError,
    NothingMeasuredError,
    PrerequisiteError,
    UsageError,
)
from harness.measure.cautions import Circumstances, cautions_of
from harness.measure.evaluate import EvaluationSettings, evaluate
from harness.measure.floor import REQUESTS
from harness.measure.progress import Advance, SilentProgress
from harness.measure.provenance import harness_facts
from harness.report.model import BuildFacts, Distribution, Report
from tests.datafiles import a_data_file, read
from tests.fake_palace import FakePalace, answer, refusal
from tests.fakes import FakeRuntime

SECOND = Distribution(
    samples=1, mean_ms=1.0, p50_ms=1.0, p95_ms=1.0, p99_ms=1.0, min_ms=1.0, max_ms=1.0
)


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    return read(tmp_path, a_data_file())


def a_report(
    dataset: Dataset, palace: FakePalace | None = None, **settings: int | bool
) -> Report:
    chosen = EvaluationSettings(**{"repetitions": 0, **settings})  # type: ignore[arg-type] # known names
    return evaluate(
        dataset, FakeRuntime(palace or FakePalace()), chosen, SilentProgress()
    )


def codes(report: Report) -> list[str]:
    return [caution.code for caution in report.warnings]


def test_phases_happen_in_order(dataset: Dataset) -> None:
    palace = FakePalace()
    a_report(dataset, palace)
    seen = list(dict.fromkeys(palace.log))
    assert seen == [
        "start",
        "status",
        "create batch",
        "mention",
        "supersede",
        "embed",
        "job index",
        "read",
        "search lexical",
        "search semantic",
        "search hybrid",
        "stop",
    ]


def test_nothing_is_searched_before_everything_is_proved(dataset: Dataset) -> None:
    palace = FakePalace()
    a_report(dataset, palace)
    first_search = palace.log.index("search lexical")
    assert "read" not in palace.log[first_search:]
    assert "embed" not in palace.log[first_search:]


def test_report_is_whole(dataset: Dataset) -> None:
    report = a_report(dataset, repetitions=2, scale=3)
    assert [each.name for each in report.configurations] == [
        "lexical",
        "semantic",
        "hybrid",
        "lexical+expand",
    ]
    assert (report.dataset.documents, report.dataset.queries) == (9, 3)
    assert report.dataset.sha256 == dataset.sha256
    assert report.seeding is not None
    assert report.seeding.verified == 5
    assert report.environment.profile == "standin"
    assert report.environment.runtime == "live"
    assert report.parameters.cutoffs == (1, 3, 5, 10)
    assert report.parameters.ndcg_gain == "2^grade - 1"
    assert report.daemon.build == BuildFacts(
        name="release", evidence={"assertions": False}
    )
    assert [each.name for each in report.phases][:3] == [
        "seeding",
        "indexing",
        "reading back",
    ]
    assert all(each.checked > 0 for each in report.invariants)
    assert report.client_floor is not None
    assert report.client_floor.service.samples == 2 * REQUESTS
    assert Report.model_validate_json(report.model_dump_json()) == report


def test_report_holds_no_id_of_the_daemon_and_no_path(dataset: Dataset) -> None:
    palace = FakePalace()
    text = a_report(dataset, palace, repetitions=1).model_dump_json()
    assert not any(drawer_id in text for drawer_id in palace.drawers)
    assert "/tmp" not in text
    assert str(dataset.path) not in text


def test_two_runs_bring_the_same_rankings(dataset: Dataset) -> None:
    one, two = a_report(dataset, scale=20), a_report(dataset, scale=20)
    assert one.configurations == two.configurations
    assert one.dataset == two.dataset


def test_single_writes_bring_the_same_rankings_as_batches(dataset: Dataset) -> None:
    slow = FakePalace(features=("drawers",), tells_time=False)
    assert a_report(dataset, slow).configurations == a_report(dataset).configurations


def test_daemon_that_says_nothing_of_itself_is_measured_all_the_same(
    dataset: Dataset,
) -> None:
    palace = FakePalace(has_status=False, profiles=(), reads_drawers=False)
    palace.faults["GET", "/api/config"] = answer({"error": "no such route"}, 404)
    report = a_report(dataset, palace, repetitions=1)
    assert (report.daemon.name, report.daemon.version) == ("unknown", None)
    assert report.daemon.build.name == "unknown"
    assert report.environment.backend == "unknown"
    assert report.environment.embedding_provider == "unknown"
    assert report.environment.profile is None
    assert [each.metrics for each in report.configurations] == [
        each.metrics for each in a_report(dataset).configurations
    ]
    assert {"unknown_build", "shared_clock"} <= set(codes(report))


def test_without_repetitions_neither_latency_nor_floor_is_measured(
    dataset: Dataset,
) -> None:
    palace = FakePalace()
    report = a_report(dataset, palace)
    assert report.client_floor is None
    assert {each.latency for each in report.configurations} == {None}
    assert palace.sent("GET", "/health") == []
    assert "no_latency" in codes(report)


def test_somebodys_drawers_are_refused_before_anything_is_written(
    dataset: Dataset,
) -> None:
    palace = FakePalace()
    palace.add("home", "kitchen", "The oven of somebody")
    with pytest.raises(PrerequisiteError, match="not empty"):
        a_report(dataset, palace)
    assert len(palace.drawers) == 1
    assert palace.log[-1] == "stop"


def test_somebodys_drawers_are_unknown_hits_and_a_caution(dataset: Dataset) -> None:
    palace = FakePalace()
    palace.add("home", "kitchen", "oven and oven")
    report = a_report(dataset, palace, allow_nonempty=True)
    known = report.invariants[0]
    assert known.name == "known"
    assert "unknown:1" in {each.document for each in known.violations}
    assert codes(report)[0] == "nonempty_palace"


def test_data_set_that_nothing_would_ask_is_refused_before_starting(
    dataset: Dataset,
) -> None:
    palace = FakePalace()
    with pytest.raises(NothingMeasuredError):
        a_report(replace(dataset, queries=()), palace)
    assert palace.log == []


@pytest.mark.parametrize(
    "path", ["/api/status", "/api/config", "/api/drawers/batch", "/api/search"]
)
def test_fault_anywhere_stops_the_daemon_and_leaves_no_report(
    dataset: Dataset, path: str
) -> None:
    palace = FakePalace()
    for method in ("GET", "POST"):
        palace.faults[method, path] = refusal(500, "memcastle::internal", "boom")
    with pytest.raises(DaemonError, match="boom"):
        a_report(dataset, palace)
    assert palace.log[-1] == "stop"


def test_death_of_postgres_is_what_the_run_ends_with(dataset: Dataset) -> None:
    palace = FakePalace()
    palace.faults["POST", "/api/search"] = refusal(503, "x", "store unavailable")

    def check() -> None:
        raise DaemonDiedError("Postgres ended with exit code 9.")

    with pytest.raises(DaemonDiedError, match="Postgres ended"):
        evaluate(
            dataset,
            FakeRuntime(palace, check),
            EvaluationSettings(repetitions=0),
            SilentProgress(),
        )
    assert palace.log[-1] == "stop"


def test_death_that_no_answer_betrays_is_still_seen(dataset: Dataset) -> None:
    palace = FakePalace()

    def check() -> None:
        if "search hybrid" in palace.log:
            raise DaemonDiedError("Postgres ended with exit code 9.")

    with pytest.raises(DaemonDiedError, match="Postgres ended"):
        evaluate(
            dataset,
            FakeRuntime(palace, check),
            EvaluationSettings(repetitions=0),
            SilentProgress(),
        )
    assert palace.log[-2:] == ["search hybrid", "stop"]


def test_interruption_stops_the_daemon_and_passes_through(dataset: Dataset) -> None:
    def advance(_: int) -> None:
        raise KeyboardInterrupt

    class Interrupting:
        def phase(self, *_: object) -> AbstractContextManager[Advance]:
            return nullcontext(advance)

    palace = FakePalace()
    with pytest.raises(KeyboardInterrupt):
        evaluate(dataset, FakeRuntime(palace), EvaluationSettings(), Interrupting())
    assert palace.log[-1] == "stop"


def test_progress_adds_up_to_what_was_announced(dataset: Dataset) -> None:
    announced: dict[str, int | None] = {}
    advanced: dict[str, int] = {}

    class Counting:
        @contextmanager
        def phase(self, name: str, total: int | None) -> Iterator[Advance]:
            announced[name], advanced[name] = total, 0

            def advance(steps: int) -> None:
                advanced[name] += steps

            yield advance

    evaluate(
        dataset,
        FakeRuntime(FakePalace()),
        EvaluationSettings(repetitions=2, scale=5),
        Counting(),
    )
    counted = {name: total for name, total in announced.items() if total is not None}
    assert counted == {name: advanced[name] for name in counted}
    assert counted["seeding"] == 13
    assert counted["lexical"] == 9


@pytest.mark.parametrize(
    "wrong",
    [
        {"repetitions": -1},
        {"scale": -1},
        {"limit": 5},
        {"cutoffs": ()},
        {"cutoffs": (0, 5)},
    ],
)
def test_knobs_that_contradict_each_other_are_refused(
    wrong: dict[str, object],
) -> None:
    with pytest.raises(UsageError):
        EvaluationSettings(**wrong)  # type: ignore[arg-type] # wrong on purpose


# --- cautions


def circumstances(**changes: object) -> Circumstances:
    about = Circumstances(
        build=BuildFacts(name="release"),
        repetitions=1,
        scale=0,
        foreign=0,
        tells_time=True,
        floor_before=SECOND,
        floor_after=SECOND,
    )
    return replace(about, **changes)  # type: ignore[arg-type] # names of its fields


def test_sound_run_on_a_release_build_only_lacks_samples(dataset: Dataset) -> None:
    report = a_report(dataset, repetitions=1)
    assert set(codes(report)) - {"unsteady_machine"} == {"few_samples"}


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({}, []),
        ({"build": BuildFacts(name="debug")}, ["debug_build"]),
        ({"build": BuildFacts(name="unknown")}, ["unknown_build"]),
        ({"build": BuildFacts(name="debug"), "repetitions": 0}, ["no_latency"]),
        ({"foreign": 3}, ["nonempty_palace"]),
        ({"scale": 200}, ["filler"]),
        ({"tells_time": False}, ["shared_clock"]),
        (
            {"floor_after": SECOND.model_copy(update={"p50_ms": 1.6})},
            ["unsteady_machine"],
        ),
        ({"floor_after": SECOND.model_copy(update={"p50_ms": 1.4})}, []),
        ({"floor_before": None, "floor_after": None}, []),
    ],
)
def test_circumstances_call_for_cautions(
    changes: dict[str, object], wanted: list[str]
) -> None:
    got = list(cautions_of([], circumstances(**changes)))
    assert [caution.code for caution in got] == wanted
    assert all(caution.text and caution.remedy for caution in got)


def test_mixed_plans_are_a_caution(dataset: Dataset) -> None:
    palace = FakePalace()
    plans = iter(["exact", "index"] * 50)
    palace.faults["POST", "/api/search"] = lambda: answer(
        [], X_Palace_Plan=f"{next(plans)};rows=4"
    )
    report = a_report(dataset, palace)
    assert codes(report).count("mixed_plans") == 2


def test_answers_of_an_approximate_index_are_a_caution(dataset: Dataset) -> None:
    palace = FakePalace()
    palace.faults["POST", "/api/search"] = lambda: answer(
        [], X_Palace_Plan="index;rows=20000"
    )
    report = a_report(dataset, palace)
    assert codes(report).count("approximate_index") == 1
    assert "plan_untold" not in codes(report)


def test_untold_plans_are_a_caution(dataset: Dataset) -> None:
    palace = FakePalace()
    palace.faults["POST", "/api/search"] = answer([])
    assert codes(a_report(dataset, palace)).count("plan_untold") == 2


def test_documents_named_twice_are_a_caution(dataset: Dataset) -> None:
    palace = FakePalace()
    palace.rewrite = lambda _, hits: hits[:1] * 2
    report = a_report(dataset, palace)
    (caution,) = [each for each in report.warnings if each.code == "duplicate_hits"]
    assert "q-oven (lexical)" in caution.text


# --- which harness


def test_commit_of_a_clone_is_named_with_its_changes(tmp_path: Path) -> None:
    def git(*words: str) -> str:
        return subprocess.run(
            [
                "git",
                "-C",
                str(tmp_path),
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@b",
                *words,
            ],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "one")
    assert harness_facts(tmp_path).commit == git("rev-parse", "HEAD")
    (tmp_path / "new").write_text("x")
    assert harness_facts(tmp_path).commit == git("rev-parse", "HEAD") + "+changes"


def test_folder_that_is_no_clone_has_no_commit(tmp_path: Path) -> None:
    assert harness_facts(tmp_path).commit is None


def test_broken_clone_has_no_commit(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert harness_facts(tmp_path).commit is None


def test_every_error_of_a_run_is_one_of_ours(dataset: Dataset) -> None:
    palace = FakePalace()
    palace.faults["POST", "/api/jobs"] = answer([1, 2])
    with pytest.raises(HarnessError, match="POST /api/jobs"):
        a_report(dataset, palace)
