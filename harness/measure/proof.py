"""Prove that a palace holds what was written, before anything is scored.

A judged document that is not stored would read as a miss of the search. It is a
fault of the run, and ends it.
"""

from uuid import UUID

from harness.daemon.client import DaemonClient
from harness.daemon.wire import Drawer
from harness.dataset.filler import FILLER_ROOM, FILLER_WING
from harness.dataset.model import Dataset, Placement, Present
from harness.errors import DaemonError
from harness.measure.progress import Advance
from harness.measure.seeding import Seeded
from harness.measure.target import Target

JOB_TIMEOUT_S = 600.0
JOB_POLL_S = 0.01
JOB_POLL_MOST_S = 1.0

REMEDY = "The daemon lost or changed what it confirmed; look at its log."


def wait_until_searchable(target: Target) -> None:
    """Let the daemon bring its vector index up to date, where it offers that.

    Raises:
        DaemonError: The job failed, or did not end in time.
    """
    if not target.indexes_on_demand:
        return
    options = {} if target.profile is None else {"profile": target.profile}
    client = target.client
    job = client.run_job("index", **options)
    began, poll_s = client.time.clock(), JOB_POLL_S
    while not job.is_over:
        if client.time.clock() - began > JOB_TIMEOUT_S:
            raise DaemonError(
                f"the index job is {job.status} after {JOB_TIMEOUT_S:g} s.",
                where=client.url,
                remedy="Look at the daemon's log, or lower the scale.",
            )
        client.time.pause(poll_s)
        poll_s = min(poll_s * 2, JOB_POLL_MOST_S)
        job = client.job(job.id)
    if job.status != "completed":
        raise DaemonError(
            f"the index job ended as {job.status}: {job.error or 'no reason given'}.",
            where=client.url,
            remedy="Semantic results would cover a part of the data only.",
        )


def prove(target: Target, dataset: Dataset, seeded: Seeded, advance: Advance) -> int:
    """Count what is stored and read the judged documents back.

    A daemon that counts is held to its counts, and the documents that anything can be
    judged by are read: judged ones, corrected ones and their corrections. From any
    other daemon every drawer is read.

    Args:
        target: The daemon, as it was met before seeding.
        dataset: What was written.
        seeded: Where it was written.
        advance: Told of every drawer read.

    Returns:
        How many judged documents were found stored as they should be.

    Raises:
        DaemonError: A count is off, or a document is missing or changed.
    """
    judged = {judgment.doc for query in dataset.queries for judgment in query.relevant}
    versions = {
        name for each in dataset.supersessions for name in (each.doc, each.new_id)
    }
    telling = judged | versions
    counted = _prove_counts(target, seeded)
    for document, drawer_id in seeded.drawer_of.items():
        if counted and document not in telling:
            continue
        drawer = target.client.get_drawer(drawer_id)
        found = _faults(dataset, document, seeded.contents[document], drawer)
        if found:
            raise DaemonError(
                f"document {document!r} was written and confirmed, but {found}.",
                where=target.client.url,
                remedy=REMEDY,
            )
        advance(1)
    return len(judged)


def _prove_counts(target: Target, seeded: Seeded) -> bool:
    """Compare the daemon's counts with what was written; tell whether it counts."""
    before = target.counts
    if before is None or before.drawers is None:
        return False
    status = target.client.status()
    after = status.counts if status else None
    if after is None or after.drawers is None:
        return False
    written = len(seeded.drawer_of)
    _must_be("drawers", before.drawers, after.drawers, written, target.client)
    if before.current is not None and after.current is not None:
        valid = written - seeded.facts.corrections
        _must_be("valid drawers", before.current, after.current, valid, target.client)
    if target.profile is not None and after.vectors is not None:
        had = (before.vectors or {}).get(target.profile, 0)
        has = after.vectors.get(target.profile, 0)
        kind = f"vectors of profile {target.profile!r}"
        _must_be(kind, had, has, written, target.client)
    return True


def _must_be(
    kind: str, before: int, after: int, written: int, client: DaemonClient
) -> None:
    if after != before + written:
        raise DaemonError(
            f"the daemon counts {after} {kind} where {before} were and {written} were "
            f"written.",
            where=client.url,
            remedy=REMEDY,
        )


def _faults(
    dataset: Dataset, document: str, content: str, drawer: Drawer | None
) -> str:
    """Say what is wrong with a stored version; empty where nothing is."""
    if drawer is None:
        return "the daemon does not have it"
    if drawer.content != content:
        return "its text is another one"
    place = dataset.placement(document) or Placement(FILLER_WING, FILLER_ROOM)
    for kind, told, wanted in (
        ("wing", drawer.wing, place.wing),
        ("room", drawer.room, place.room),
    ):
        if told is not None and told != wanted and not _is_uuid(told):
            return f"it lies in {kind} {told!r} instead of {wanted!r}"
    is_open = drawer.valid_to is None
    if is_open != dataset.visible(document, Present()):
        state = "still holds" if is_open else f"ended at {drawer.valid_to}"
        return f"it {state}, against the corrections"
    return ""


def _is_uuid(name: str) -> bool:
    # Names of wings and rooms may not look like one, so this is an id, not a name.
    try:
        UUID(name)
    except ValueError:
        return False
    return True
