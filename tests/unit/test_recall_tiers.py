"""The main corpus of each tier is recall-bench's, to the letter."""

import numpy as np
import pytest

from harness.dataset.recall.model import RecallCorpus, RecallDocument, Tier, digest
from harness.dataset.recall.mulberry import Mulberry32
from harness.dataset.recall.tiers import TIERS, recall_corpus, shuffled
from harness.dataset.vectors.trigrams import TrigramModel

PUBLISHED: dict[Tier, tuple[int, int, str, str]] = {
    "smoke": (40100, 60, "2b3785810deecb99", "92268c39f13ccfeb"),
    "1k": (45494, 1000, "23c741a5aac16f2b", "5007cfe604a7a117"),
    "10k": (54494, 10000, "0f8981d4b45d66fe", "a4e2ee3e2a95711b"),
}
"""Seed, documents, and the first 16 hex digits of both digests."""


@pytest.fixture(scope="module")
def corpus() -> RecallCorpus:
    return recall_corpus("1k")


@pytest.mark.parametrize(
    ("seed", "outputs"),
    [
        (40100, [0.93108702, 0.04260094, 0.68273564]),
        (45494, [0.79953681, 0.38840983, 0.36473532]),
        (54494, [0.22376490, 0.62199238, 0.36262860]),
        (59048, [0.89709739, 0.54477776, 0.05382931]),
    ],
)
def test_the_generator_draws_as_published(seed: int, outputs: list[float]) -> None:
    random = Mulberry32(seed)

    assert [round(random.draw(), 8) for _ in range(3)] == outputs


def test_the_generator_takes_the_lower_32_bits_of_a_seed() -> None:
    assert Mulberry32(2**32 + 7).draw() == Mulberry32(7).draw()


@pytest.mark.parametrize("tier", PUBLISHED)
def test_a_tier_has_the_published_digests(tier: Tier) -> None:
    got = recall_corpus(tier)

    assert (
        got.seed,
        len(got.documents),
        digest(got.documents)[:16],
        digest(got.queries)[:16],
    ) == PUBLISHED[tier]


def test_the_first_and_last_texts_are_the_published_ones(corpus: RecallCorpus) -> None:
    first = "system configure0 reconfigure0 configured0 time"
    last = "across federate5599 refederate5599 federate5599 agent"

    assert corpus.documents[0] == RecallDocument("doc-0-0", first)
    assert corpus.documents[-1] == RecallDocument("noise-599", last)
    assert corpus.queries[0].text == "configure0 configureing0 many"


def test_a_document_is_stored_under_its_id(corpus: RecallCorpus) -> None:
    assert corpus.documents[0].name == "doc-0-0.txt"


def test_a_tier_is_the_same_twice() -> None:
    assert recall_corpus("smoke") == recall_corpus("smoke")


@pytest.mark.parametrize("tier", TIERS)
def test_every_topic_is_asked_once_and_every_answer_exists(tier: Tier) -> None:
    got = recall_corpus(tier)
    ids = {document.id for document in got.documents}

    assert len(got.queries) == got.topics == TIERS[tier].topics
    assert len(ids) == len(got.documents)
    assert all(ids.issuperset(query.relevant) for query in got.queries)
    answers = {len(query.relevant) for query in got.queries}
    assert answers == {TIERS[tier].relevant}


@pytest.mark.parametrize("tier", TIERS)
def test_every_text_is_distinct_and_one_short_line(tier: Tier) -> None:
    texts = [document.text for document in recall_corpus(tier).documents]

    assert len(set(texts)) == len(texts)
    assert max(map(len, texts)) < 80
    assert not any("\n" in text for text in texts)


def test_the_longest_text_of_1k_has_73_characters(corpus: RecallCorpus) -> None:
    assert max(len(document.text) for document in corpus.documents) == 73


def test_vectors_tell_relevant_from_confusable_documents(corpus: RecallCorpus) -> None:
    model = TrigramModel()
    vectors = model.embed_all([document.text for document in corpus.documents])
    place = {document.id: at for at, document in enumerate(corpus.documents)}

    def mean(topic: int, kind: str) -> float:
        rows = [place[f"{kind}-{topic}-{number}"] for number in range(5)]
        return float(np.mean(vectors[rows] @ model.embed(corpus.queries[topic].text)))

    leads = [mean(topic, "doc") - mean(topic, "confuse") for topic in range(40)]
    assert sum(lead > 0.1 for lead in leads) == 40


def test_relevant_and_confusable_documents_share_the_base_token(
    corpus: RecallCorpus,
) -> None:
    texts = {document.id: document.text.split() for document in corpus.documents}

    for topic, query in enumerate(corpus.queries):
        base = query.text.split()[0]
        for number in range(5):
            assert base in texts[f"doc-{topic}-{number}"]
            assert base in texts[f"confuse-{topic}-{number}"]


def test_no_document_has_the_form_that_queries_use(corpus: RecallCorpus) -> None:
    written = {word for document in corpus.documents for word in document.text.split()}

    assert not any(query.text.split()[1] in written for query in corpus.queries)


def test_a_shuffle_moves_documents_and_leaves_everything_else(
    corpus: RecallCorpus,
) -> None:
    got = shuffled(corpus)

    assert got.documents != corpus.documents
    assert sorted(each.id for each in got.documents) == sorted(
        each.id for each in corpus.documents
    )
    assert got.queries == corpus.queries


def test_a_seed_is_an_order(corpus: RecallCorpus) -> None:
    assert shuffled(corpus, 1) == shuffled(corpus, 1)
    assert shuffled(corpus, 1) != shuffled(corpus, 2)


@pytest.mark.parametrize(
    ("tier", "order"),
    [
        ("smoke", "450d9399ad606686"),
        ("1k", "c4af9854938a021e"),
        ("10k", "551c420e1c47cbe9"),
    ],
)
def test_the_shuffled_variants_keep_their_order(tier: Tier, order: str) -> None:
    got = shuffled(recall_corpus(tier))

    assert digest(got.documents)[:16] == order


def test_every_order_of_three_is_as_likely() -> None:
    orders = [Mulberry32(seed).shuffled("abc") for seed in range(6000)]

    counts = [orders.count(order) for order in set(orders)]
    assert len(counts) == 6
    assert all(900 < count < 1100 for count in counts)
