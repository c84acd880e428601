"""Documents go in in a known order, and are known again whatever is done to them."""

from collections.abc import Sequence

import pytest

from harness.daemon.client import DaemonClient
from harness.daemon.documents import BATCH_LIMIT, DocumentsClient
from harness.dataset.recall.facts import recall_facts
from harness.dataset.recall.lifecycle import LifecycleSlice
from harness.dataset.recall.model import RecallDocument, RecallQuery
from harness.errors import DaemonError, DaemonProtocolError, PrerequisiteError
from harness.measure.recall import lifecycle
from harness.measure.recall.library import Library
from harness.measure.recall.rows import FACTS, LIFECYCLE, MAIN
from tests.fake_palace import answer
from tests.fake_recall import FakeDocuments, FakeEmbedder
from tests.fakes import FakeTime, transport


def a_library(palace: FakeDocuments | None = None) -> Library:
    time = FakeTime()
    client = DaemonClient(
        "http://daemon",
        transport=transport(palace or FakeDocuments(FakeEmbedder()), time),
        time=time.time,
    )
    return Library(DocumentsClient(client.door), "http://daemon")


def some_documents(count: int) -> list[RecallDocument]:
    return [RecallDocument(f"d{n}", f"text number{n}") for n in range(count)]


def write(library: Library, documents: Sequence[RecallDocument]) -> float:
    return library.write(MAIN, documents, lambda _: None)


def test_documents_are_written_in_their_order_one_request_at_a_time() -> None:
    palace = FakeDocuments(FakeEmbedder())
    documents = some_documents(BATCH_LIMIT * 2 + 1)
    library = a_library(palace)
    # The fake takes 3 ms for a request.
    assert write(library, documents) == pytest.approx(0.009)

    batches = [sent.json["documents"] for sent in palace.sent("POST", "/batch")]
    assert [len(batch) for batch in batches] == [BATCH_LIMIT, BATCH_LIMIT, 1]
    names = [entry["name"] for batch in batches for entry in batch]
    assert names == [document.name for document in documents]


def test_daemon_learns_nothing_but_place_name_and_text() -> None:
    palace = FakeDocuments(FakeEmbedder())
    write(a_library(palace), some_documents(1))
    (sent,) = palace.sent("POST", "/batch")
    assert sent.json == {
        "documents": [
            {
                "wing": "recall",
                "room": "corpus",
                "name": "d0.txt",
                "content": "text number0",
            }
        ]
    }


def test_progress_is_told_of_every_document() -> None:
    told: list[int] = []
    a_library().write(MAIN, some_documents(BATCH_LIMIT + 3), told.append)
    assert told == [BATCH_LIMIT, 3]


def test_documents_are_known_again_by_the_ids_of_the_daemon() -> None:
    library = a_library()
    write(library, some_documents(2))
    theirs = library.id_of[MAIN, "d1"]
    assert library.names.name(theirs) == "d1"
    assert library.wing_of[theirs] == MAIN
    assert library.names.name("stray") == "unknown:1"
    assert library.held(MAIN) == 2
    assert library.fragments == 2


def test_document_that_was_there_before_is_refused() -> None:
    palace = FakeDocuments(FakeEmbedder())
    write(a_library(palace), some_documents(1))
    with pytest.raises(PrerequisiteError, match="held document 'd0' before"):
        write(a_library(palace), some_documents(1))


def test_one_id_for_two_documents_is_refused() -> None:
    palace = FakeDocuments(FakeEmbedder())
    stored = {"id": "same", "fragments": 1, "version": 1, "created": True}
    palace.faults["POST", "/api/documents/batch"] = answer(
        {"documents": [{**stored, "name": "d0.txt"}, {**stored, "name": "d1.txt"}]}
    )
    with pytest.raises(DaemonProtocolError, match="gave 'd1' the id of 'd0'"):
        write(a_library(palace), some_documents(2))


def test_facts_are_known_again_by_their_order() -> None:
    library = a_library()
    facts = recall_facts("smoke")
    library.write_facts(FACTS, facts)
    assert library.held(FACTS) == len(facts) == 36
    assert library.document_of[library.id_of[FACTS, "fact-0"]] == "fact-0"


def test_stored_text_is_held_against_what_was_written() -> None:
    palace = FakeDocuments(FakeEmbedder())
    library = a_library(palace)
    (document,) = some_documents(1)
    write(library, [document])
    library.read_back(MAIN, document)
    palace.documents[library.id_of[MAIN, "d0"]]["content"] = "another"
    with pytest.raises(DaemonError, match="'d0' was written and confirmed, but it ch"):
        library.read_back(MAIN, document)
    palace.documents.clear()
    with pytest.raises(DaemonError, match="does not have it"):
        library.read_back(MAIN, document)


# --- what months do to documents

OLD, KEPT = RecallDocument("old", "old words"), RecallDocument("kept", "kept words")
CHANGES = LifecycleSlice(
    "lifecycle",
    (OLD, KEPT),
    duplicates=(KEPT, RecallDocument("copy", KEPT.text)),
    updates=(RecallDocument("old", "new words"),),
    deletes=("kept",),
    after_duplicates=(RecallQuery("q", "kept", ("kept", "copy"), "copies"),),
    after_updates=(),
    after_deletes=(),
)


def test_repeat_adds_nothing_and_a_copy_is_a_document_of_its_own() -> None:
    palace = FakeDocuments(FakeEmbedder())
    library = a_library(palace)
    library.write(LIFECYCLE, CHANGES.documents, lambda _: None)
    lifecycle.apply("duplicates", CHANGES, library)
    assert library.held(LIFECYCLE) == 3
    assert len(palace.documents) == 3
    assert (LIFECYCLE, "copy") in library.id_of


def test_repeat_that_is_stored_again_is_nobodys() -> None:
    palace = FakeDocuments(FakeEmbedder())
    library = a_library(palace)
    library.write(LIFECYCLE, CHANGES.documents, lambda _: None)
    again = {"id": "again", "fragments": 1, "version": 1, "created": True}
    palace.faults["POST", "/api/documents/batch"] = answer(
        {"documents": [{**again, "name": "kept.txt"}]}
    )
    library.repeat(LIFECYCLE, CHANGES.repeats)
    assert library.names.name("again") == "unknown:1"


def test_copy_that_is_swallowed_has_no_id() -> None:
    palace = FakeDocuments(FakeEmbedder())
    library = a_library(palace)
    library.write(LIFECYCLE, CHANGES.documents, lambda _: None)
    original = library.id_of[LIFECYCLE, "kept"]
    swallowed = {"id": original, "fragments": 1, "version": 1, "created": False}
    palace.faults["POST", "/api/documents/batch"] = answer(
        {"documents": [{**swallowed, "name": "copy.txt"}]}
    )
    library.repeat(LIFECYCLE, CHANGES.copies)
    assert (LIFECYCLE, "copy") not in library.id_of
    assert library.names.name(original) == "kept"


def test_updated_document_keeps_its_id() -> None:
    palace = FakeDocuments(FakeEmbedder())
    library = a_library(palace)
    library.write(LIFECYCLE, CHANGES.documents, lambda _: None)
    theirs = library.id_of[LIFECYCLE, "old"]
    lifecycle.apply("updates", CHANGES, library)
    assert palace.documents[theirs]["content"] == "new words"
    assert palace.documents[theirs]["version"] == 2
    assert library.names.name(theirs) == "old"


def test_deleted_document_is_held_no_more_and_still_known() -> None:
    palace = FakeDocuments(FakeEmbedder())
    library = a_library(palace)
    library.write(LIFECYCLE, CHANGES.documents, lambda _: None)
    theirs = library.id_of[LIFECYCLE, "kept"]
    lifecycle.apply("deletes", CHANGES, library)
    assert theirs not in palace.documents
    assert library.held(LIFECYCLE) == 1
    assert library.names.name(theirs) == "kept"
