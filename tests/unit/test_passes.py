"""How rankings come about: order of passes, names, ties, refusals, latency."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.daemon.client import DaemonClient
from harness.dataset.configurations import CONFIGURATIONS, Configuration
from harness.dataset.model import Dataset
from harness.dataset.vectors.concepts import DIMENSION, ConceptModel
from harness.errors import DaemonError, DaemonProtocolError
from harness.measure.invariants import InvariantChecks
from harness.measure.passes import Asker, Names, PassSettings, measure
from harness.measure.progress import SilentProgress
from harness.measure.seeding import seed
from harness.measure.target import meet
from harness.report.model import ConfigurationResult
from tests.datafiles import a_data_file, read
from tests.fake_palace import FakePalace, answer, refusal
from tests.fakes import FakeTime, transport

LEXICAL, SEMANTIC, HYBRID, EXPAND = CONFIGURATIONS
Json = dict[str, Any]


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    """Queries q-oven (graph), q-release (lexical and hybrid only) and q-limit."""
    return read(tmp_path, a_data_file())


def an_asker(
    palace: FakePalace,
    dataset: Dataset,
    *,
    repetitions: int = 0,
    limit: int = 10,
    time: FakeTime | None = None,
) -> Asker:
    """Seed *palace* and return what asks it."""
    clock = time or FakeTime()
    client = DaemonClient(
        "http://palace", transport=transport(palace, clock), time=clock.time
    )
    target = meet(client, dimension=DIMENSION, allow_nonempty=False)
    model = ConceptModel(dataset.concepts)
    seeded = seed(target, dataset, model, scale=0, advance=lambda _: None)
    palace.log.clear()
    palace.requests.clear()
    return Asker(
        client=client,
        dataset=dataset,
        seeded=seeded,
        query_vectors={query.id: model.embed(query.text) for query in dataset.queries},
        profile=target.profile,
        settings=PassSettings(limit=limit, cutoffs=(1, 10), repetitions=repetitions),
        checks=InvariantChecks(dataset),
        names=Names(seeded.document_of),
    )


def measured(
    asker: Asker, configuration: Configuration = LEXICAL
) -> ConfigurationResult:
    return measure(asker, configuration, SilentProgress())


def hits_of(result: ConfigurationResult, query: str) -> list[str]:
    ranking = next(each for each in result.rankings if each.query == query)
    return [hit.document for hit in ranking.hits]


def hit(drawer_id: str, score: float | None = 1.0, **more: object) -> Json:
    return {"id": drawer_id, "score": score, **more}


def answering(palace: FakePalace, hits: Callable[[Json], list[Json]]) -> FakePalace:
    """Let *palace* answer every search with what *hits* makes of the request."""
    palace.rewrite = lambda body, _: hits(body)
    return palace


# --- what is asked, and when


def test_scored_pass_comes_first_and_every_pass_is_in_file_order(
    dataset: Dataset,
) -> None:
    palace = FakePalace()
    measured(an_asker(palace, dataset, repetitions=2))
    asked = [sent.json["text"] for sent in palace.requests]
    assert asked == ["oven", "release day", "limit"] * 3


def test_query_takes_part_only_where_it_should(dataset: Dataset) -> None:
    palace = FakePalace()
    asker = an_asker(palace, dataset)
    counts = [measured(asker, each).queries for each in CONFIGURATIONS]
    assert counts == [3, 2, 3, 1]


def test_vector_and_profile_are_sent_whatever_the_ranking(dataset: Dataset) -> None:
    palace = FakePalace()
    asker = an_asker(palace, dataset)
    for configuration in CONFIGURATIONS:
        measured(asker, configuration)
    for sent in palace.requests:
        assert len(sent.json["query_embedding"]) == DIMENSION
        assert sent.json["profile"] == "standin"


def test_epochs_are_asked_for_as_instants_of_the_daemons_clock(
    dataset: Dataset,
) -> None:
    palace = FakePalace()
    asker = an_asker(palace, dataset)
    measured(asker)
    ends = asker.seeded.epoch_ends
    assert [sent.json["filter"]["temporal"] for sent in palace.requests] == [
        "current",
        {"as_of": ends[0]},
        {"between": {"from": ends[0], "until": ends[3]}},
    ]


def test_configuration_without_queries_is_reported_as_empty(
    tmp_path: Path,
) -> None:
    data = a_data_file()
    data["queries"] = data["queries"][1:2]
    asker = an_asker(FakePalace(), read(tmp_path, data), repetitions=1)
    got = measured(asker, EXPAND)
    assert (got.queries, got.metrics, got.latency) == (0, {}, None)
    assert got.rankings == ()


# --- what comes back


def test_time_filters_bring_the_versions_that_held(dataset: Dataset) -> None:
    got = measured(an_asker(FakePalace(), dataset))
    assert hits_of(got, "q-release") == ["c"]
    assert hits_of(got, "q-limit") == ["d", "d2"]


def test_metrics_are_those_of_the_ranking(dataset: Dataset) -> None:
    got = measured(an_asker(FakePalace(), dataset))
    assert hits_of(got, "q-oven") == ["a"]
    by_query = {each.query: each.metrics["recall@10"] for each in got.rankings}
    assert by_query == {"q-oven": 0.5, "q-release": 1.0, "q-limit": 1.0}
    assert got.metrics["recall@10"] == pytest.approx(2.5 / 3)
    assert got.category_queries == {"graph": 1, "temporal": 2}
    assert got.by_category["temporal"]["recall@10"] == 1.0


def test_expansion_appends_what_shares_an_entity(dataset: Dataset) -> None:
    got = measured(an_asker(FakePalace(), dataset), EXPAND)
    assert hits_of(got, "q-oven") == ["a", "b"]


def test_daemon_that_returns_nothing_scores_zero(dataset: Dataset) -> None:
    asker = an_asker(answering(FakePalace(), lambda _: []), dataset)
    got = measured(asker)
    assert got.queries == 3
    assert set(got.metrics.values()) == {0.0}


def test_equal_scores_are_settled_by_document(dataset: Dataset) -> None:
    palace = FakePalace()
    asker = an_asker(palace, dataset)
    ids = asker.seeded.drawer_of
    answering(palace, lambda _: [hit(ids["b"]), hit(ids["a"]), hit(ids["d2"], 0.5)])
    assert hits_of(measured(asker), "q-oven") == ["a", "b", "d2"]


def test_unknown_hits_are_numbered_as_they_appear(dataset: Dataset) -> None:
    palace = FakePalace()
    asker = an_asker(palace, dataset)
    answers = {
        "oven": [hit("random-9", 3.0), hit("random-1", 2.0)],
        "release day": [hit("random-1", 3.0)],
        "limit": [hit("random-5", 3.0)],
    }
    answering(palace, lambda body: answers[body["text"]])
    got = measured(asker)
    assert hits_of(got, "q-oven") == ["unknown:1", "unknown:2"]
    assert hits_of(got, "q-release") == ["unknown:2"]
    assert hits_of(got, "q-limit") == ["unknown:3"]
    assert "random" not in got.model_dump_json()


def test_scores_are_float32_and_a_missing_one_stays_missing(dataset: Dataset) -> None:
    palace = FakePalace()
    asker = an_asker(palace, dataset)
    ids = asker.seeded.drawer_of
    answering(palace, lambda _: [hit(ids["a"], 0.9), hit(ids["b"], None)])
    (first, second) = measured(asker).rankings[0].hits
    assert (first.score, second.score) == (0.8999999761581421, None)


def test_document_named_twice_counts_once(dataset: Dataset) -> None:
    palace = FakePalace()
    asker = an_asker(palace, dataset)
    drawer = asker.seeded.drawer_of["a"]
    answering(palace, lambda _: [hit(drawer, 2.0), hit(drawer, 1.0)])
    ranking = measured(asker).rankings[0]
    assert [each.document for each in ranking.hits] == ["a", "a"]
    assert ranking.metrics["recall@10"] == 0.5


def test_plan_of_every_query_is_kept(dataset: Dataset) -> None:
    got = measured(an_asker(FakePalace(), dataset), SEMANTIC)
    assert {each.plan for each in got.rankings} == {"exact;rows=4", "exact;rows=6"}


# --- what is refused


def many(count: int, score: float = 1.0) -> Callable[[Json], list[Json]]:
    return lambda _: [hit(f"id-{number}", score) for number in range(count)]


def test_more_hits_than_asked_for_are_refused(dataset: Dataset) -> None:
    asker = an_asker(answering(FakePalace(), many(11)), dataset)
    with pytest.raises(DaemonProtocolError, match="11 hits came back where 10"):
        measured(asker)


def test_expansion_may_append_as_many_hits_again(dataset: Dataset) -> None:
    palace = answering(FakePalace(), many(20))
    assert len(measured(an_asker(palace, dataset), EXPAND).rankings[0].hits) == 20
    with pytest.raises(DaemonProtocolError, match="21 hits came back where 20"):
        measured(an_asker(answering(FakePalace(), many(21)), dataset), EXPAND)


@pytest.mark.parametrize(
    "headers",
    [
        {"X_Palace_Ranking": "lexical"},
        {"X_Palace_Ranking": "hybrid", "X_Palace_Degraded": "memcastle::embed::failed"},
    ],
)
def test_another_ranking_than_asked_for_is_refused(
    dataset: Dataset, headers: dict[str, str]
) -> None:
    palace = FakePalace()
    asker = an_asker(palace, dataset)
    palace.faults["POST", "/api/search"] = answer([], 200, **headers)
    with pytest.raises(DaemonProtocolError, match="'hybrid' was asked for") as caught:
        measured(asker, HYBRID)
    assert "query 'q-oven' under hybrid" in caught.value.where


def test_score_beyond_float32_is_refused(dataset: Dataset) -> None:
    asker = an_asker(answering(FakePalace(), many(1, score=1e300)), dataset)
    with pytest.raises(DaemonProtocolError, match="1e\\+300 does not fit"):
        measured(asker)


BY_GRAPH = {"signals": {"graph": 1.0}}


@pytest.mark.parametrize(
    ("scores", "rank", "message"),
    [
        ([(1.0, {}), (2.0, {})], 2, "scores 2.0, more than the 1.0"),
        ([(2.0, {}), (None, {}), (2.5, {})], 3, "scores 2.5, more than the 2.0"),
        ([(2.0, {}), (1.0, {}), (1.5, {})], 3, "scores 1.5, more than the 1.0"),
        ([(-2.0, {}), (-1.0, {})], 2, "scores -1.0, more than the -2.0"),
        (
            [(0.1, {}), (1.0, BY_GRAPH), (1.5, BY_GRAPH)],
            3,
            "scores 1.5, more than the 1.0",
        ),
        # A direct hit among the expanded ones is still one of the direct ones.
        ([(0.5, {}), (9.0, BY_GRAPH), (0.75, {})], 3, "0.75, more than the 0.5"),
    ],
)
def test_scores_that_ascend_are_refused(
    dataset: Dataset, scores: list[tuple[float | None, Json]], rank: int, message: str
) -> None:
    hits = [hit(f"id-{n}", score, **more) for n, (score, more) in enumerate(scores)]
    asker = an_asker(answering(FakePalace(), lambda _: hits), dataset)
    with pytest.raises(DaemonProtocolError) as caught:
        measured(asker, EXPAND)
    assert f"the hit at rank {rank} " in caught.value.what
    assert message in caught.value.what
    assert "under lexical+expand" in caught.value.where


@pytest.mark.parametrize(
    "scores",
    [
        [(2.0, {}), (2.0, {}), (1.0, {}), (5.0, BY_GRAPH), (4.0, BY_GRAPH)],
        [(None, {}), (1.0, {}), (None, {}), (1.0, {})],
        # Equal in float32, in which scores travel; ascending in doubles.
        [(0.3, {}), (0.30000000000000004, {})],
    ],
)
def test_scores_that_do_not_ascend_are_taken(
    dataset: Dataset, scores: list[tuple[float | None, Json]]
) -> None:
    hits = [hit(f"id-{n}", score, **more) for n, (score, more) in enumerate(scores)]
    asker = an_asker(answering(FakePalace(), lambda _: hits), dataset)
    assert len(measured(asker, EXPAND).rankings[0].hits) == len(scores)


def test_fault_in_a_timed_pass_ends_the_run(dataset: Dataset) -> None:
    palace = FakePalace()
    asker = an_asker(palace, dataset, repetitions=1)
    calls = iter(range(100))
    palace.faults["POST", "/api/search"] = lambda: (
        refusal(500, "memcastle::internal", "boom") if next(calls) == 4 else None
    )
    with pytest.raises(DaemonError, match="answered 500"):
        measured(asker)
    assert len(palace.requests) == 5


# --- the timed passes


def test_rankings_that_change_from_pass_to_pass_are_seen(dataset: Dataset) -> None:
    palace = FakePalace()
    asker = an_asker(palace, dataset, repetitions=2)
    ids = asker.seeded.drawer_of
    orders = iter([("a", "b")] * 6 + [("b", "a")] + [("a", "b")] * 2)
    answering(
        palace,
        lambda _: [
            hit(ids[document], 1.0 / rank)
            for rank, document in enumerate(next(orders), start=1)
        ],
    )
    measured(asker)
    repeatable = asker.checks.results()[-1]
    assert repeatable.checked == 6
    (violation,) = repeatable.violations
    assert (violation.query, violation.rank) == ("q-oven", 1)
    assert violation.document == "b"


def test_hits_of_timed_passes_are_held_against_the_invariants(
    dataset: Dataset,
) -> None:
    palace = FakePalace()
    asker = an_asker(palace, dataset, repetitions=1)
    nothing: list[Json] = []
    passes = iter([nothing] * 3 + [[hit("random")]] * 3)
    answering(palace, lambda _: next(passes))
    measured(asker)
    known = asker.checks.results()[0]
    assert (known.checked, len(known.violations)) == (3, 3)


def test_latency_is_that_of_the_timed_passes_alone(dataset: Dataset) -> None:
    time = FakeTime()
    got = measured(an_asker(FakePalace(), dataset, repetitions=4, time=time)).latency
    assert got is not None
    assert got.service.samples == 12
    assert got.service.p50_ms == pytest.approx(3.0)
    assert got.first_byte.p50_ms == pytest.approx(2.0)
    assert got.round_trip.p50_ms == pytest.approx(3.0)
    assert got.queries_per_second == pytest.approx(1 / 0.003)


def test_every_query_keeps_its_own_service_time_of_each_pass(
    dataset: Dataset,
) -> None:
    time = FakeTime()
    got = measured(an_asker(FakePalace(), dataset, repetitions=4, time=time))
    assert [len(each.service_ms) for each in got.rankings] == [4, 4, 4]
    assert got.rankings[0].service_ms == pytest.approx([3.0] * 4)


def test_every_judged_document_keeps_its_grade_in_the_ranking(
    dataset: Dataset,
) -> None:
    got = measured(an_asker(FakePalace(), dataset))
    wanted = {query.id: query.grades for query in dataset.queries}
    assert {each.query: each.grades for each in got.rankings} == wanted


def test_without_repetitions_there_is_no_latency(dataset: Dataset) -> None:
    assert measured(an_asker(FakePalace(), dataset)).latency is None
