"""What a reader of a LongMemEval report must know before trusting a figure."""

from collections.abc import Iterator, Sequence

from harness.measure.longmemeval.records import QuestionRecord, Start
from harness.report.longmemeval import LongMemEvalFacts
from harness.report.model import Caution


def cautions_of(
    facts: LongMemEvalFacts,
    starts: Sequence[Start],
    records: Sequence[QuestionRecord],
    *,
    journals: int,
) -> Iterator[Caution]:
    """List every caution that the run calls for, the gravest first."""
    if facts.is_trivial:
        yield Caution(
            code="trivial",
            text="Every session of every question is evidence: recall is 1 by "
            "construction, and says nothing of the daemon.",
            remedy="Measure S or M.",
        )
    if starts[0].foreign:
        yield Caution(
            code="nonempty_palace",
            text=f"The palace held {starts[0].foreign} drawers or wings before.",
            remedy="Measure a fresh palace before comparing or keeping these numbers.",
        )
    if facts.isolation == "wing" and not facts.scoped_statistics:
        yield Caution(
            code="shared_statistics",
            text="The daemon does not say that lexical statistics are those of the "
            "searched wing: the haystacks written before a question may move its "
            "scores.",
            remedy="Use --isolation isolated, where the daemon can delete wings.",
        )
    if sum(each.verified for each in records) < sum(map(_stored, records)):
        yield Caution(
            code="count_unverified",
            text="The daemon does not count the drawers of a wing: that all of them "
            "are stored rests on its word alone.",
            remedy="Take a miss for the search's with care.",
        )
    if starts[0].daemon.build.name != "release":
        yield Caution(
            code="debug_build",
            text=f"This is a build of kind {starts[0].daemon.build.name!r}: its "
            "latency is no figure to quote.",
            remedy="Measure a release build.",
        )
    if len(starts) > journals:
        yield Caution(
            code="resumed",
            text=f"The run was started {len(starts)} times: its latencies are of "
            "several processes.",
            remedy="Quote latency from a run that went through.",
        )


def _stored(record: QuestionRecord) -> int:
    """Count the documents that should have been verified."""
    stages = {failure.stage for failure in record.failures}
    return 0 if stages & {"embed", "write", "verify"} else record.documents
