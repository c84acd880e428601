"""What a reader must know before trusting a number, computed from the numbers.

Each caution has a fixed code, says what was found, and ends in what to do about it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from harness.report.model import (
    BuildFacts,
    Caution,
    ConfigurationResult,
    Distribution,
)

ENOUGH_FOR_P99 = 100
"""With fewer samples the 99th percentile is the slowest one, whatever it was."""
STEADY_RATIO = 1.5
"""A floor that moved by more than this between start and end was disturbed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What cautions are computed from, beside the results themselves."""

    build: BuildFacts
    repetitions: int
    scale: int
    foreign: int
    """Drawers, documents or wings that were there before; 0 in an empty palace."""
    tells_time: bool
    """Whether epochs ended by the daemon's own clock."""
    tells_plans: bool = True
    """Whether answers are of a kind that says how its vectors were searched."""
    floor_before: Distribution | None
    floor_after: Distribution | None


def cautions_of(
    results: Sequence[ConfigurationResult], about: Circumstances
) -> Iterator[Caution]:
    """List every caution that the run calls for, the gravest first."""
    if about.foreign:
        yield _nonempty_palace(about.foreign)
    if about.scale:
        yield _filler(about.scale)
    yield from _approximate(results)
    yield from _build(about)
    if about.repetitions == 0:
        yield _no_latency()
    yield from _few_samples(results)
    yield from _unsteady(about.floor_before, about.floor_after)
    if about.tells_plans:
        yield from _plans(results)
    yield from _duplicates(results)
    if not about.tells_time:
        yield _shared_clock()


def _nonempty_palace(foreign: int) -> Caution:
    return Caution(
        code="nonempty_palace",
        text=f"The palace held {foreign} drawers, documents or wings before: they "
        "compete with what is judged, and appear as unknown where they are found.",
        remedy="Measure a fresh palace before comparing or keeping these numbers.",
    )


def _filler(scale: int) -> Caution:
    return Caution(
        code="filler",
        text=f"{scale:,} filler drawers compete with the judged ones: the quality "
        "figures are of this scale alone.",
        remedy="Compare them with runs of the same scale.",
    )


def _approximate(results: Sequence[ConfigurationResult]) -> Iterator[Caution]:
    names = [
        result.name
        for result in results
        if any((each.plan or "").startswith("index") for each in result.rankings)
    ]
    if names:
        yield Caution(
            code="approximate_index",
            text=f"Searches of {', '.join(names)} went through an approximate index. "
            "It misses documents, and built again it misses others: these figures do "
            "not repeat to the bit.",
            remedy="Read a small change of them as noise, or measure exactly.",
        )


def _build(about: Circumstances) -> Iterator[Caution]:
    if about.repetitions == 0:
        return
    if about.build.name == "debug":
        ordinary = about.build.evidence.get("debug_interpreter") is False
        how = " (debug modes on the ordinary interpreter)" if ordinary else ""
        yield Caution(
            code="debug_build",
            text=f"This is the debug build{how}: its latency is no figure to quote.",
            remedy="`just eval-release` measures the release build.",
        )
    if about.build.name == "unknown":
        yield Caution(
            code="unknown_build",
            text="The daemon does not say how it was built, so its latency may be a "
            "debug build's.",
            remedy="Quote latency only from a daemon whose status names its build.",
        )


def _no_latency() -> Caution:
    return Caution(
        code="no_latency",
        text="No timed pass was asked for: there is no latency, and nothing says "
        "whether a second pass would bring the same rankings.",
        remedy="Give --repetitions 1 or more.",
    )


def _few_samples(results: Iterable[ConfigurationResult]) -> Iterator[Caution]:
    few = [
        f"{result.name} ({result.latency.service.samples})"
        for result in results
        if result.latency and result.latency.service.samples < ENOUGH_FOR_P99
    ]
    if few:
        yield Caution(
            code="few_samples",
            text=f"Fewer than {ENOUGH_FOR_P99} samples stand behind the 99th "
            f"percentile of {', '.join(few)}: it is the slowest one.",
            remedy="Raise --repetitions.",
        )


def _unsteady(
    before: Distribution | None, after: Distribution | None
) -> Iterator[Caution]:
    if before is None or after is None:
        return
    low, high = sorted((before.p50_ms, after.p50_ms))
    if high > low * STEADY_RATIO:
        yield Caution(
            code="unsteady_machine",
            text=f"The client's floor was {before.p50_ms:.2f} ms before the passes and "
            f"{after.p50_ms:.2f} ms after them: something else used the machine.",
            remedy="Measure again on a quiet machine before quoting latency.",
        )


def _plans(results: Sequence[ConfigurationResult]) -> Iterator[Caution]:
    """Look at how vector searches ran, where a configuration has any."""
    for result in results:
        if result.ranking == "lexical" or not result.rankings:
            continue
        plans = {(each.plan or "untold").partition(";")[0] for each in result.rankings}
        if "untold" in plans:
            yield Caution(
                code="plan_untold",
                text=f"The daemon does not say whether {result.name} searched its "
                "vectors exactly or through an index.",
                remedy="Take a lost document for an index's miss only with care.",
            )
        elif len(plans) > 1:
            yield Caution(
                code="mixed_plans",
                text=f"Queries of {result.name} ran as {', '.join(sorted(plans))}: "
                "one latency stands for all of them.",
                remedy="Read the plan of each query in the report.",
            )


def _duplicates(results: Iterable[ConfigurationResult]) -> Iterator[Caution]:
    repeated = [
        f"{ranking.query} ({result.name})"
        for result in results
        for ranking in result.rankings
        if len({hit.document for hit in ranking.hits}) < len(ranking.hits)
    ]
    if repeated:
        yield Caution(
            code="duplicate_hits",
            text=f"{len(repeated)} answers name a document twice, the first of them "
            f"{repeated[0]}: only its best rank counts.",
            remedy="A daemon should return a document once.",
        )


def _shared_clock() -> Caution:
    return Caution(
        code="shared_clock",
        text="The daemon does not tell its clock: epochs ended by the harness's own, "
        "as if both agreed to within the pauses between them.",
        remedy="Run both on one machine.",
    )
