"""The morphology slice is recall-bench's, to the letter."""

from harness.dataset.recall.model import digest
from harness.dataset.recall.morphology import FAMILIES, morphology_slice


def test_it_has_the_published_digests() -> None:
    got = morphology_slice()

    assert digest(got.documents)[:16] == "2a24437db4f158f1"
    assert digest(got.queries)[:16] == "d8ad8fb4cbadf323"


def test_it_is_the_same_twice() -> None:
    assert morphology_slice() == morphology_slice()


def test_ten_queries_have_four_answers_each_among_forty_documents() -> None:
    got = morphology_slice()

    assert [document.id for document in got.documents] == [
        f"m-{family}-{number}" for family in range(10) for number in range(4)
    ]
    assert [query.relevant for query in got.queries] == [
        tuple(f"m-{family}-{number}" for number in range(4)) for family in range(10)
    ]


def test_no_relevant_document_has_the_word_of_its_query() -> None:
    got = morphology_slice()
    texts = {document.id: document.text.split() for document in got.documents}

    for query, (asked, *_) in zip(got.queries, FAMILIES, strict=True):
        assert query.text.startswith(f"{asked} ")
        assert not any(asked in texts[each] for each in query.relevant)
