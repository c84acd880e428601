"""The quality view holds what two runs must share, and nothing else."""

import json

import pytest

from harness.report.model import (
    BuildFacts,
    DaemonFacts,
    HarnessFacts,
    HostFacts,
    ImageFacts,
    Phase,
    Ranking,
    Report,
    ScoredHit,
)
from harness.report.quality import quality_json, quality_view
from tests.builders import (
    a_caution,
    a_configuration,
    a_latency,
    a_ranking,
    a_report,
    a_violation,
    an_environment,
    some_invariants,
    some_parameters,
)


def test_another_machine_build_and_day_give_the_same_bytes() -> None:
    here = a_report(a_configuration(rankings=[a_ranking()], latency=a_latency(1.0)))
    there = a_report(
        a_configuration(rankings=[a_ranking(plan="index")], latency=a_latency(9.0)),
        created_at="2027-01-01T00:00:00Z",
        harness=HarnessFacts(version="0.2.0", commit=None),
        daemon=DaemonFacts(
            name="other", version=None, build=BuildFacts(name="release")
        ),
        environment=an_environment(
            runtime="containers",
            runtime_reason="forced",
            postgres="17.12",
            settings={},
            images=(ImageFacts(name="palace", digest="sha256:1"),),
            host=HostFacts(
                cpu=None, cores=None, memory_bytes=None, kernel=None, python="3.13"
            ),
        ),
        parameters=some_parameters(repetitions=0),
        client_floor=None,
        invariants=some_invariants(checked=7),
        warnings=(a_caution(),),
        phases=(Phase(name="seed", seconds=9.0),),
    )

    assert quality_json(here) == quality_json(there)


@pytest.mark.parametrize(
    "other",
    [
        a_report(a_configuration(metrics={"mrr": 0.8000000000000002})),
        a_report(a_configuration(by_category={"graph": {"mrr": 0.8}})),
        a_report(a_configuration(queries=3)),
        a_report(a_configuration("semantic")),
        a_report(a_configuration(rankings=[a_ranking()])),
        a_report(parameters=some_parameters(limit=20)),
        a_report(parameters=some_parameters(scale=1)),
        a_report(environment=an_environment(vectors="other")),
        a_report(seeding=None),
        a_report(invariants=some_invariants(violations=[a_violation()])),
    ],
    ids=range(10),
)
def test_whatever_is_quality_changes_the_bytes(other: Report) -> None:
    assert quality_json(a_report()) != quality_json(other)


def test_the_order_of_documents_counts_and_their_scores_do_not() -> None:
    def ranked(*hits: tuple[str, float]) -> bytes:
        ranking = Ranking(
            query="q1",
            category="lexical",
            metrics={},
            hits=tuple(ScoredHit(document=name, score=score) for name, score in hits),
        )
        return quality_json(a_report(a_configuration(rankings=[ranking])))

    assert ranked(("a", 0.9), ("b", 0.5)) == ranked(("a", 0.8), ("b", 0.1))
    assert ranked(("a", 0.9), ("b", 0.5)) != ranked(("b", 0.9), ("a", 0.5))


def test_evidence_adds_scores_and_plans() -> None:
    report = a_report(a_configuration(rankings=[a_ranking(plan="exact")]))
    found = json.loads(quality_json(report, evidence=True))["configurations"][0]

    assert found["rankings"][0]["scores"] == [1.0, 0.5]
    assert found["rankings"][0]["plan"] == "exact"
    assert "scores" not in quality_json(report).decode()


def test_zero_has_one_spelling() -> None:
    def scored(value: float) -> bytes:
        return quality_json(a_report(a_configuration(metrics={"mrr": value})))

    assert scored(-0.0) == scored(0.0)


def test_keys_are_sorted_and_numbers_read_back_as_the_same_double() -> None:
    value = 0.1 + 0.2
    text = quality_json(
        a_report(a_configuration(metrics={"b": value, "a": 1.0}, by_category={}))
    )
    metrics = json.loads(text)["configurations"][0]["metrics"]

    assert list(metrics.items()) == [("a", 1.0), ("b", value)]
    assert text.endswith(b"}\n")


def test_the_view_names_the_data_by_its_hash() -> None:
    view = quality_view(a_report())

    assert view["dataset"] == {
        "name": "small",
        "version": 1,
        "sha256": "4f" * 32,
        "documents": 12,
        "queries": 2,
    }
