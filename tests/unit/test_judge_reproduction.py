"""A re-run is the same in quality to the bit, or the difference has a name."""

import io
import json

import pytest
from rich.console import Console

from harness.errors import ExitCode, IncomparableError
from harness.judge.machine import reproduction_json
from harness.judge.preconditions import Difference
from harness.judge.reproduction import (
    circumstances,
    data_changed,
    reproduction,
    require_repeatable,
)
from harness.judge.sheets import print_reproduction
from harness.report.model import (
    BuildFacts,
    DaemonFacts,
    HarnessFacts,
    HostFacts,
    ImageFacts,
    Report,
)
from tests.builders import a_configuration, a_ranking, a_report, an_environment

VECTORS = "fixture: hashed bag of concepts, 768-d, supplied by the harness"


def host(cpu: str | None) -> HostFacts:
    """Name a machine by its processor."""
    return HostFacts(
        cpu=cpu, cores=2, memory_bytes=8 * 1024**3, kernel="6.1", python="3.11.7"
    )


def scored(score: float, cpu: str | None = "A processor") -> Report:
    """Report one hit with *score*, found on a processor of that name."""
    ranking = a_ranking("q1", ["d1"])
    hit = ranking.hits[0].model_copy(update={"score": score})
    return a_report(
        a_configuration(rankings=[ranking.model_copy(update={"hits": (hit,)})]),
        environment=an_environment(host=host(cpu)),
    )


def test_same_quality_passes() -> None:
    got = reproduction(a_report(), a_report(created_at="2027-01-01T00:00:00Z"))

    assert (got.first, got.circumstances) == (None, ())
    assert got.exit_code is ExitCode.PASSED


def test_other_ranking_fails_and_is_named() -> None:
    stored = a_report(a_configuration(rankings=[a_ranking("q1", ["d1"])]))
    again = a_report(a_configuration(rankings=[a_ranking("q1", ["d2"])]))

    got = reproduction(stored, again)

    assert got.exit_code is ExitCode.GATE_FAILED
    assert str(got.first) == 'lexical, query q1, rank 1, document: "d1" and "d2"'


def test_score_counts_on_the_same_processor() -> None:
    got = reproduction(scored(0.5), scored(0.25))

    assert got.evidence
    assert got.exit_code is ExitCode.GATE_FAILED


@pytest.mark.parametrize("cpu", ["Another processor", None])
def test_score_does_not_count_where_the_processor_is_not_the_same(
    cpu: str | None,
) -> None:
    got = reproduction(scored(0.5, cpu), scored(0.25))

    assert not got.evidence
    assert got.exit_code is ExitCode.PASSED


def test_two_unknown_processors_are_not_taken_for_one() -> None:
    assert not reproduction(scored(0.5, None), scored(0.25, None)).evidence


def test_circumstances_are_named_and_fail_nothing() -> None:
    images = (ImageFacts(name="postgres-18", digest="sha256:aa"),)
    stored = a_report(environment=an_environment(images=images, engine="docker 27.0"))
    again = a_report(
        harness=HarnessFacts(version="0.2.0", commit="fedcba9876543210"),
        daemon=DaemonFacts(
            name="palace",
            version="0.1.0",
            build=BuildFacts(name="debug", evidence={"assertions": False}),
        ),
        environment=an_environment(
            engine="podman 5.2",
            postgres="18.7",
            settings={"shared_buffers": "256MB"},
            images=(ImageFacts(name="postgres-18", digest="sha256:bb"),),
        ),
    )

    got = reproduction(stored, again)

    assert got.exit_code is ExitCode.PASSED
    assert list(got.circumstances) == [
        Difference("harness", "0.1.0", "0.2.0"),
        Difference("harness commit", "0123456789abcdef", "fedcba9876543210"),
        Difference("engine", "docker 27.0", "podman 5.2"),
        Difference("Postgres", "18.6", "18.7"),
        Difference("build assertions", True, False),
        Difference("image postgres-18", "sha256:aa", "sha256:bb"),
        Difference("setting shared_buffers", "128MB", "256MB"),
    ]


def test_fact_that_only_one_side_states_is_a_circumstance() -> None:
    stored = a_report(environment=an_environment(settings={}))

    got = list(circumstances(stored, a_report()))

    assert got == [Difference("setting shared_buffers", None, "128MB")]


def test_report_with_other_vectors_is_refused_with_the_commit_to_use() -> None:
    stored = a_report(environment=an_environment(vectors="trigrams"))

    with pytest.raises(IncomparableError, match="trigrams") as caught:
        require_repeatable(stored, vectors=VECTORS)

    assert caught.value.exit_code == 2
    assert "0123456789abcdef" in str(caught.value)


def test_report_of_an_unknown_build_cannot_be_started_again() -> None:
    unknown = DaemonFacts(name="x", version=None, build=BuildFacts(name="unknown"))

    with pytest.raises(IncomparableError, match="which build"):
        require_repeatable(a_report(daemon=unknown), vectors=VECTORS)

    live = an_environment(runtime="live")
    require_repeatable(a_report(daemon=unknown, environment=live), vectors=VECTORS)


def test_changed_data_says_which_hash_was_wanted() -> None:
    got = data_changed(a_report(), "no file has it")

    assert got.exit_code == 2
    assert "'small' version 1" in str(got)
    assert "4f4f4f4f4f4f" in str(got)


def test_face_names_circumstances_and_the_verdict_last() -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=100, markup=False, highlight=False)
    again = a_report(environment=an_environment(postgres="17.12"))

    print_reproduction(reproduction(a_report(), again), console=console)
    got = stream.getvalue().splitlines()

    assert "otherwise here  Postgres: '18.6' and '17.12'" in got
    assert got[-1].endswith("are the same, to the bit.")


def test_json_says_whether_it_reproduced_and_what_differs() -> None:
    got = json.loads(reproduction_json(reproduction(scored(0.5), scored(0.25))))

    assert got["format"] == "harness-reproduction"
    assert (got["reproduced"], got["evidence_compared"]) == (False, True)
    assert got["exit_code"] == 1
    assert got["first_difference"]["field"] == "score"
    assert got["first_difference"]["rank"] == 1
