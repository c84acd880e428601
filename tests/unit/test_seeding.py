"""What is written, in which order, with which words, and the proof that it is there."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.daemon.client import DaemonClient
from harness.dataset.model import Dataset
from harness.dataset.vectors.concepts import DIMENSION, ConceptModel
from harness.errors import (
    DaemonError,
    DaemonProtocolError,
    DatasetError,
    PrerequisiteError,
)
from harness.measure import proof, seeding
from harness.measure.epochs import EpochClock, order_of
from harness.measure.seeding import Seeded, seed
from harness.measure.target import Target, meet
from tests.datafiles import a_data_file, read
from tests.fake_palace import FEATURES, STANDIN, Answer, FakePalace, answer
from tests.fakes import FakeTime, transport

SINGLE = tuple(name for name in FEATURES if name != "drawers.batch")


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    """Four documents, corrections in epochs 1 and 3, two links, three queries."""
    return read(tmp_path, a_data_file())


def a_target(
    palace: FakePalace, time: FakeTime | None = None, *, allow_nonempty: bool = False
) -> Target:
    clock = time or FakeTime()
    client = DaemonClient(
        "http://palace", transport=transport(palace, clock), time=clock.time
    )
    return meet(client, dimension=DIMENSION, allow_nonempty=allow_nonempty)


def seeded(
    palace: FakePalace,
    dataset: Dataset,
    *,
    scale: int = 0,
    time: FakeTime | None = None,
) -> tuple[Target, Seeded]:
    target = a_target(palace, time)
    vectors = ConceptModel(dataset.concepts)
    return target, seed(target, dataset, vectors, scale=scale, advance=lambda _: None)


def proved(target: Target, dataset: Dataset, written: Seeded) -> int:
    return proof.prove(target, dataset, written, lambda _: None)


def writes(palace: FakePalace) -> list[str]:
    """List what was written, phases that only read left out."""
    silent = {"status", "read", "job index"}
    return [phase for phase in palace.log if phase not in silent]


# --- the order


def test_documents_come_before_links_filler_and_corrections(dataset: Dataset) -> None:
    palace = FakePalace(features=SINGLE)
    seeded(palace, dataset, scale=1)
    assert writes(palace) == [
        *["create", "embed"] * 4,
        "mention",
        "mention",
        *["create", "embed"],
        *["supersede", "embed"] * 2,
    ]


def test_batches_carry_their_vectors(dataset: Dataset) -> None:
    palace = FakePalace()
    _, written = seeded(palace, dataset, scale=1)
    assert writes(palace) == [
        "create batch",
        "mention",
        "mention",
        "create batch",
        *["supersede", "embed"] * 2,
    ]
    assert written.facts.method == "batch"
    assert all(drawer.vector is not None for drawer in palace.drawers.values())


def test_batches_are_bounded(dataset: Dataset) -> None:
    palace = FakePalace()
    seeded(palace, dataset, scale=seeding.BATCH * 2 + 1)
    sizes = [len(sent.json["drawers"]) for sent in palace.sent("POST", "/batch")]
    assert sizes == [4, seeding.BATCH, seeding.BATCH, 1]


def test_long_texts_make_smaller_batches() -> None:
    half = seeding.BATCH_CHARACTERS // 2
    lengths = [half, half, 1, 3 * half, half, half]
    texts = [
        seeding.Text(id=str(n), wing="w", room="r", content="x" * length)
        for n, length in enumerate(lengths)
    ]
    got = [[text.id for text in batch] for batch in seeding.batched(texts)]
    assert got == [["0", "1"], ["2"], ["3"], ["4", "5"]]


@pytest.mark.parametrize("features", [FEATURES, SINGLE])
def test_both_ways_of_writing_leave_the_same_palace(
    dataset: Dataset, features: tuple[str, ...]
) -> None:
    palace = FakePalace(features=features)
    _, written = seeded(palace, dataset, scale=2)
    stored = {
        written.document_of[each.id]: (each.wing, each.room, each.content)
        for each in palace.drawers.values()
    }
    assert stored["a"] == ("home", "kitchen", "The oven runs hot")
    assert stored["c2"] == ("work", "desk", "Release on Tuesday")
    assert stored["filler-1"][:2] == ("filler", "bulk")
    assert set(stored) == {"a", "b", "c", "d", "c2", "d2", "filler-0", "filler-1"}
    model = ConceptModel(dataset.concepts)
    for drawer in palace.drawers.values():
        vector = np.array(drawer.vector, np.float32)
        assert vector.tobytes() == model.embed(drawer.content).tobytes()


def test_advance_is_told_of_every_step(dataset: Dataset) -> None:
    steps: list[int] = []
    target = a_target(FakePalace())
    seed(target, dataset, ConceptModel({}), scale=3, advance=steps.append)
    assert sum(steps) == seeding.steps_of(dataset, 3) == 4 + 2 + 2 + 3


# --- nothing that is judged leaves the harness


def test_nothing_sent_reveals_what_is_judged(tmp_path: Path) -> None:
    data = a_data_file()
    ids = {"a": "DOC-a", "b": "DOC-b", "c": "DOC-c", "d": "DOC-d"}
    text = json.dumps(data)
    for old, new in {**ids, "c2": "DOC-c2", "d2": "DOC-d2"}.items():
        text = text.replace(f'"{old}"', f'"{new}"')
    text = text.replace('"temporal",', '"SECRET-category",').replace("q-", "QUERY-")
    dataset = read(tmp_path, text.encode())
    palace = FakePalace()
    target, written = seeded(palace, dataset, scale=2)
    proved(target, dataset, written)

    sent = b"\n".join(
        each.path.encode() + b" " + each.body for each in palace.requests
    ).decode()
    assert "The oven runs hot" in sent
    for secret in ("DOC-", "QUERY-", "SECRET", "grade", "relevant", "filler-", "small"):
        assert secret not in sent


def test_a_drawer_is_sent_with_its_place_text_and_vector_only(dataset: Dataset) -> None:
    palace = FakePalace()
    seeded(palace, dataset)
    batch = palace.sent("POST", "/batch")[0].json["drawers"]
    assert {key for drawer in batch for key in drawer} == {
        "wing",
        "room",
        "content",
        "embedding",
        "profile",
    }
    assert palace.sent("POST", "/supersede")[0].json == {
        "content": "Release on Tuesday"
    }
    assert palace.sent("POST", "/mentions")[0].json == {
        "name": "Smith",
        "kind": "person",
    }


# --- repeated texts


@pytest.mark.parametrize("features", [FEATURES, SINGLE])
def test_repeated_text_is_refused_naming_both_documents(
    dataset: Dataset, features: tuple[str, ...]
) -> None:
    # The reader refuses such a file; a daemon may take more texts for one than it.
    first, *others = dataset.documents
    twice = replace(dataset, documents=(first, replace(first, id="b"), *others[1:]))
    palace = FakePalace(features=features)
    with pytest.raises(DatasetError) as caught:
        seeded(palace, twice)
    assert "document 'b' repeats the text of document 'a'" in caught.value.what
    assert caught.value.where == str(dataset.path)


def test_two_texts_in_one_drawer_are_the_daemons_fault(dataset: Dataset) -> None:
    palace = FakePalace()
    merged = [{"id": "uuid", "created": place == 0} for place in range(4)]
    palace.faults["POST", "/api/drawers/batch"] = answer({"drawers": merged})
    with pytest.raises(DaemonProtocolError, match=r"'a' and 'b' .* texts differ"):
        seeded(palace, dataset)


def test_new_drawer_with_an_id_that_was_given_before_is_refused(
    dataset: Dataset,
) -> None:
    palace = FakePalace()
    same = {"id": "uuid", "created": True}
    palace.faults["POST", "/api/drawers/batch"] = answer({"drawers": [same] * 4})
    with pytest.raises(DaemonProtocolError, match="gave 'b' the id of 'a'"):
        seeded(palace, dataset)


# --- epochs


def test_daemons_clock_ends_epochs_without_a_pause(dataset: Dataset) -> None:
    time = FakeTime()
    _, written = seeded(FakePalace(), dataset, time=time)
    assert time.pauses == []
    assert len(written.epoch_ends) == 4
    assert list(written.epoch_ends) == sorted(set(written.epoch_ends))


def test_epoch_ends_part_what_was_written_before_from_what_came_after(
    dataset: Dataset,
) -> None:
    palace = FakePalace()
    _, written = seeded(palace, dataset)
    stamp = {
        document: palace.drawers[drawer_id].valid_from
        for document, drawer_id in written.drawer_of.items()
    }
    ends = written.epoch_ends
    assert max(stamp[each] for each in "abcd") < ends[0] < stamp["c2"] < ends[1]
    assert ends[1] < ends[2] < stamp["d2"] < ends[3]


def test_own_clock_needs_a_pause_on_either_side_of_every_epoch(
    dataset: Dataset,
) -> None:
    time = FakeTime()
    _, written = seeded(FakePalace(tells_time=False), dataset, time=time)
    assert time.pauses == [0.08] * 7
    assert written.epoch_ends[0].startswith("2026-01-01T00:01:40.")
    assert all(end.endswith("Z") and "." in end for end in written.epoch_ends)


def a_clock_telling(*told: str) -> EpochClock:
    palace = FakePalace()
    answers = iter(told)
    palace.faults["GET", "/api/status"] = lambda: answer(
        {"now": next(answers, told[-1])}
    )
    client = DaemonClient(
        "http://palace", transport=transport(palace), time=FakeTime().time
    )
    return EpochClock(client, daemon_tells=True)


def test_clock_is_asked_again_until_it_is_past_the_last_stamp() -> None:
    clock = a_clock_telling(
        "2026-01-01T00:00:00.000005Z", "2026-01-01T00:00:00.000006Z"
    )
    clock.note("2026-01-01T00:00:00.000005Z")
    assert clock.end_epoch() == "2026-01-01T00:00:00.000006Z"


def test_clock_that_stays_behind_its_own_stamps_is_refused() -> None:
    clock = a_clock_telling("2026-01-01T00:00:00Z")
    clock.note("2026-01-01T00:00:01Z")
    with pytest.raises(DaemonProtocolError, match="does not get past the stamp"):
        clock.end_epoch()


NO_INSTANTS = ["yesterday", "", "2026-01-01", "2026-01-01T00:00:00"]


@pytest.mark.parametrize("told", NO_INSTANTS)
def test_clock_that_tells_no_instant_is_refused(told: str) -> None:
    with pytest.raises(DaemonProtocolError) as caught:
        a_clock_telling(told).end_epoch()
    assert f"the daemon's 'now' is {told!r}, which is no RFC 3339" in caught.value.what


@pytest.mark.parametrize("told", NO_INSTANTS)
@pytest.mark.parametrize("features", [FEATURES, SINGLE])
def test_stamp_that_is_no_instant_is_refused(
    dataset: Dataset, told: str, features: tuple[str, ...]
) -> None:
    palace = FakePalace(features=features)
    made = {"id": "uuid", "created": True, "valid_from": told}
    palace.faults["POST", "/api/drawers/batch"] = answer({"drawers": [made] * 4})
    palace.faults["POST", "/api/wings/home/rooms/kitchen/drawers"] = answer(made)
    palace.faults["PUT", "/api/drawers/uuid/embedding"] = answer({})
    with pytest.raises(DaemonProtocolError) as caught:
        seeded(palace, dataset)
    assert f"the daemon's 'valid_from' is {told!r}, which is no" in caught.value.what


def test_stamp_of_a_correction_that_is_no_instant_is_refused(dataset: Dataset) -> None:
    palace = FakePalace()
    closing = {"replacement": {"id": "uuid-4", "valid_from": "yesterday"}}
    palace.faults["POST", "/api/drawers/uuid-2/supersede"] = answer(closing)
    palace.faults["PUT", "/api/drawers/uuid-4/embedding"] = answer({})
    with pytest.raises(DaemonProtocolError, match="'valid_from' is 'yesterday'"):
        seeded(palace, dataset)


def test_stamps_are_ordered_to_the_nanosecond_and_across_zones() -> None:
    stamps = [
        "2026-01-01T00:00:00Z",
        "2026-01-01T00:00:00.000000001Z",
        "2026-01-01T00:00:00.1Z",
        "2026-01-01T01:00:00.25+01:00",
        "2026-01-01T00:00:01Z",
    ]
    assert sorted(sorted(stamps), key=order_of) == stamps


# --- figures


def test_rate_counts_drawers_over_seconds_inside_write_requests(
    dataset: Dataset,
) -> None:
    _, written = seeded(FakePalace(tells_time=False, features=SINGLE), dataset)
    # 4 creations, 2 corrections and 6 vectors of 3 ms each; links and pauses apart.
    assert written.facts.write_s == pytest.approx(12 * 0.003)
    assert written.facts.documents_per_second == pytest.approx(6 / (12 * 0.003))


def test_facts_say_what_was_written(dataset: Dataset) -> None:
    _, written = seeded(FakePalace(), dataset, scale=3)
    facts = written.facts
    assert (facts.documents, facts.filler) == (4, 3)
    assert (facts.corrections, facts.mentions) == (2, 2)
    assert len(written.document_of) == 4 + 3 + 2


# --- profiles, and whose palace it is


def profile(**changes: Any) -> dict[str, Any]:
    return {**STANDIN, **changes}


def test_profile_is_named_in_every_call_that_carries_a_vector(dataset: Dataset) -> None:
    palace = FakePalace(features=SINGLE)
    target, _ = seeded(palace, dataset)
    assert target.profile == "standin"
    sent = palace.sent("PUT", "/embedding")
    assert {each.json["profile"] for each in sent} == {"standin"}


def test_no_profile_is_named_to_a_daemon_without_profiles(dataset: Dataset) -> None:
    palace = FakePalace(profiles=())
    target, _ = seeded(palace, dataset)
    assert target.profile is None
    assert not any(b'"profile"' in sent.body for sent in palace.requests)


def test_default_external_profile_of_the_right_length_is_chosen() -> None:
    palace = FakePalace(
        profiles=(
            profile(name="provider", external=False),
            profile(name="short", dimension=384),
            profile(name="other", default=False),
            profile(name="mine"),
        )
    )
    assert a_target(palace).profile == "mine"


def test_daemon_that_takes_no_such_vectors_is_refused_naming_what_it_has() -> None:
    palace = FakePalace(profiles=(profile(name="short", dimension=384),))
    with pytest.raises(PrerequisiteError, match=r"'short' \(384, cosine, external\)"):
        a_target(palace)


@pytest.mark.parametrize(
    ("palace", "held"),
    [
        (FakePalace(), "holds 1 drawers"),
        (FakePalace(has_status=False), "holds 1 wings"),
        (FakePalace(features=None), "holds 1 wings"),
    ],
)
def test_palace_that_is_not_empty_is_refused(palace: FakePalace, held: str) -> None:
    palace.add("home", "kitchen", "somebody's")
    with pytest.raises(PrerequisiteError, match=held):
        a_target(palace)
    assert writes(palace) == []


def test_palace_that_is_not_empty_can_be_allowed(dataset: Dataset) -> None:
    palace = FakePalace()
    palace.add("home", "kitchen", "somebody's")
    target = a_target(palace, allow_nonempty=True)
    written = seed(target, dataset, ConceptModel({}), scale=0, advance=lambda _: None)
    assert target.foreign == 1
    assert proved(target, dataset, written) == 5


def test_text_that_was_there_before_is_refused(tmp_path: Path) -> None:
    dataset = read(tmp_path, a_data_file())
    palace = FakePalace()
    palace.add("home", "kitchen", "The oven runs hot")
    target = a_target(palace, allow_nonempty=True)
    with pytest.raises(PrerequisiteError, match="held the text of document"):
        seed(target, dataset, ConceptModel({}), scale=0, advance=lambda _: None)


def test_daemon_that_calls_a_text_of_an_empty_palace_old_is_at_fault(
    dataset: Dataset,
) -> None:
    palace = FakePalace()
    old = {"id": "uuid", "created": False}
    palace.faults["POST", "/api/drawers/batch"] = answer({"drawers": [old] * 4})
    with pytest.raises(DaemonProtocolError) as caught:
        seeded(palace, dataset)
    assert "document 'a'" in caught.value.what
    assert "was empty" in caught.value.what


# --- the index job


def test_index_job_is_waited_for(dataset: Dataset) -> None:
    palace = FakePalace()
    target, _ = seeded(palace, dataset)
    states = iter(["queued", "running", "completed"])
    palace.faults["GET", "/api/jobs/job-1"] = lambda: answer(
        {"id": "job-1", "status": next(states)}
    )
    proof.wait_until_searchable(target)
    assert palace.sent("POST", "/api/jobs")[0].json == {
        "type": "index",
        "profile": "standin",
    }
    assert len(palace.sent("GET", "/api/jobs/job-1")) == 3


@pytest.mark.parametrize(
    ("state", "message"),
    [("failed", "ended as failed: out of disk"), ("running", "running after 600 s")],
)
def test_index_job_that_does_not_complete_ends_the_run(
    dataset: Dataset, state: str, message: str
) -> None:
    palace = FakePalace()
    target, _ = seeded(palace, dataset)
    palace.faults["GET", "/api/jobs/job-1"] = answer(
        {"id": "job-1", "status": state, "error": "out of disk"}
    )
    with pytest.raises(DaemonError, match=message):
        proof.wait_until_searchable(target)


def test_daemon_without_index_jobs_is_not_asked_for_one(dataset: Dataset) -> None:
    palace = FakePalace(features=("drawers.batch",))
    target, _ = seeded(palace, dataset)
    proof.wait_until_searchable(target)
    assert palace.sent("POST", "/api/jobs") == []


# --- the proof


def test_judged_and_corrected_documents_are_read_back(dataset: Dataset) -> None:
    palace = FakePalace()
    target, written = seeded(palace, dataset, scale=5)
    palace.requests.clear()
    assert proved(target, dataset, written) == 5
    read_back = {
        written.document_of[sent.path.rsplit("/", 1)[1]]
        for sent in palace.requests
        if sent.path.startswith("/api/drawers/")
    }
    assert read_back == {"a", "b", "c", "d", "c2", "d2"}


@pytest.mark.parametrize(
    "palace",
    [
        FakePalace(has_status=False),
        FakePalace(has_status=False, reads_drawers=False),
        FakePalace(features=None),
    ],
)
def test_daemon_that_does_not_count_has_every_drawer_read(
    dataset: Dataset, palace: FakePalace
) -> None:
    target, written = seeded(palace, dataset, scale=5)
    palace.log.clear()
    assert proved(target, dataset, written) == 5
    assert palace.log.count("read") >= 11


Spoil = Callable[[FakePalace, str], None]


def lose(palace: FakePalace, drawer_id: str) -> None:
    del palace.drawers[drawer_id]


def change_text(palace: FakePalace, drawer_id: str) -> None:
    palace.drawers[drawer_id].content += "!"


def change_wing(palace: FakePalace, drawer_id: str) -> None:
    palace.drawers[drawer_id].wing = "work"


def close(palace: FakePalace, drawer_id: str) -> None:
    palace.drawers[drawer_id].valid_to = "2026-02-01T00:00:00Z"


def reopen(palace: FakePalace, drawer_id: str) -> None:
    palace.drawers[drawer_id].valid_to = None


def lose_vector(palace: FakePalace, drawer_id: str) -> None:
    palace.drawers[drawer_id].vector = None


@pytest.mark.parametrize(
    ("spoil", "document", "counts", "message"),
    [
        (lose, "a", True, "counts 5 drawers where 0 were and 6 were written"),
        (lose, "a", False, "document 'a' was written and confirmed, but the daemon"),
        (change_text, "a", True, "its text is another one"),
        (change_wing, "a", True, "it lies in wing 'work' instead of 'home'"),
        (close, "a", True, "counts 3 valid drawers where 0 were and 4 were written"),
        (close, "a", False, "it ended at 2026-02-01T00:00:00Z"),
        (reopen, "c", False, "it still holds, against the corrections"),
        (lose_vector, "a", True, "counts 5 vectors of profile 'standin'"),
    ],
)
def test_document_that_is_not_stored_as_written_ends_the_run(
    dataset: Dataset, spoil: Spoil, document: str, counts: bool, message: str
) -> None:
    palace = FakePalace(has_status=counts)
    target, written = seeded(palace, dataset)
    spoil(palace, written.drawer_of[document])
    with pytest.raises(DaemonError, match=message):
        proved(target, dataset, written)


def test_place_given_as_an_id_is_not_taken_for_a_name(dataset: Dataset) -> None:
    palace = FakePalace()
    target, written = seeded(palace, dataset)
    for drawer in palace.drawers.values():
        drawer.room = "7e57ab1e-0000-4000-8000-000000000000"
    assert proved(target, dataset, written) == 5


def test_interruption_while_writing_passes_through(dataset: Dataset) -> None:
    palace = FakePalace(features=SINGLE)
    calls = iter(range(100))

    def interrupt() -> Answer | None:
        if next(calls) == 1:
            raise KeyboardInterrupt
        return None

    palace.faults["POST", "/api/wings/home/rooms/garden/drawers"] = interrupt
    palace.faults["POST", "/api/wings/work/rooms/desk/drawers"] = interrupt
    with pytest.raises(KeyboardInterrupt):
        seeded(palace, dataset)
    assert len(palace.drawers) == 2
