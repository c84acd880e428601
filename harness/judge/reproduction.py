"""What a re-run has in common with the report it repeats, and what it has not.

Quality must be the same to the bit. Circumstances need not: they are named, so that a
difference in quality has its suspects, and an equal one its reach.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from harness.errors import ExitCode, IncomparableError
from harness.judge.preconditions import Difference, Value
from harness.judge.sameness import FirstDifference, first_difference
from harness.report.model import Report

HASH_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What came of a re-run.

    Attributes:
        stored: The report that was repeated.
        again: The report of the re-run.
        first: The first difference in quality; ``None`` where there is none.
        evidence: Whether scores and plans were compared too.
        circumstances: What else differs, and may explain it.
    """

    stored: Report
    again: Report
    first: FirstDifference | None
    evidence: bool
    circumstances: tuple[Difference, ...]

    @property
    def exit_code(self) -> ExitCode:
        """Say how a command that re-ran a report must end."""
        return ExitCode.PASSED if self.first is None else ExitCode.GATE_FAILED


def reproduction(stored: Report, again: Report) -> Reproduction:
    """Hold the re-run *again* against *stored*.

    Scores and plans are compared where both ran on processors of one name: on another
    one, the last bit of a score may differ for no fault of anybody.
    """
    cpu = stored.environment.host.cpu
    evidence = cpu is not None and cpu == again.environment.host.cpu
    return Reproduction(
        stored=stored,
        again=again,
        first=first_difference(stored, again, evidence=evidence),
        evidence=evidence,
        circumstances=tuple(circumstances(stored, again)),
    )


def circumstances(stored: Report, again: Report) -> Iterator[Difference]:
    """List what differs beside quality: engine, versions, settings, machine."""
    before, after = stored.environment, again.environment
    yield from _of_pairs(
        ("harness", stored.harness.version, again.harness.version),
        ("harness commit", stored.harness.commit, again.harness.commit),
        ("daemon", stored.daemon.name, again.daemon.name),
        ("daemon version", stored.daemon.version, again.daemon.version),
        ("build", stored.daemon.build.name, again.daemon.build.name),
        ("runtime", before.runtime, after.runtime),
        ("engine", before.engine, after.engine),
        ("Postgres", before.postgres, after.postgres),
        ("pgvector", before.pgvector, after.pgvector),
    )
    yield from _of_mappings(
        "build", stored.daemon.build.evidence, again.daemon.build.evidence
    )
    yield from _of_mappings(
        "image",
        {image.name: image.digest for image in before.images},
        {image.name: image.digest for image in after.images},
    )
    yield from _of_mappings("setting", before.settings, after.settings)
    yield from _of_mappings(
        "host", before.host.model_dump(mode="json"), after.host.model_dump(mode="json")
    )


def require_repeatable(stored: Report, *, vectors: str) -> None:
    """Refuse a report that this harness cannot ask for again.

    Args:
        stored: The report.
        vectors: What this harness says of its vectors.

    Raises:
        IncomparableError: Its vectors are others, or its build is not known.
    """
    found = stored.environment.vectors
    if found != vectors:
        raise IncomparableError(
            f"the report's vectors are {found!r}, and this harness has {vectors!r}.",
            remedy=f"Check out the harness that wrote it{_commit(stored)}.",
        )
    if stored.environment.runtime != "live" and stored.daemon.build.name == "unknown":
        raise IncomparableError(
            "the report does not say which build of the daemon it measured.",
            remedy="Only a daemon that names its build can be started again.",
        )


def data_changed(stored: Report, found: str) -> IncomparableError:
    """Make the error for data that is no longer what the report measured.

    Args:
        stored: The report.
        found: What was found in its place, as the middle of a sentence.
    """
    data = stored.dataset
    return IncomparableError(
        f"the report measured {data.name!r} version {data.version} with the SHA-256 "
        f"{data.sha256[:HASH_DIGITS]}..., and {found}.",
        remedy="Give that very file with --dataset, or check out the commit the report"
        f" was made from{_commit(stored)}.",
    )


def _commit(stored: Report) -> str:
    commit = stored.harness.commit
    return f" ({commit})" if commit else ""


def _of_pairs(*pairs: tuple[str, Value, Value]) -> Iterator[Difference]:
    for field, before, after in pairs:
        if before != after:
            yield Difference(field, before, after)


def _of_mappings(
    what: str, before: Mapping[str, object], after: Mapping[str, object]
) -> Iterator[Difference]:
    for name in sorted(before.keys() | after.keys()):
        ours, theirs = before.get(name), after.get(name)
        if ours != theirs:
            yield Difference(f"{what} {name}", _value(ours), _value(theirs))


def _value(found: object) -> Value:
    return found if isinstance(found, str | int | None) else str(found)
