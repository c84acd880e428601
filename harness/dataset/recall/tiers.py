"""The main corpus: invented words on a few topics, in a sea of noise.

Each topic is one invented word, such as ``configure0``. Its *relevant* documents hold
that word and other forms of it; its *confusable* ones hold that word and forms of
foreign words. A keyword search sees the one word they share and cannot tell them
apart; vectors made of letters can. That gap is what makes it visible when a daemon
falls back from vectors to keywords.

Word lists, ids and the order of draws are those of recall-bench, as its published
numbers rest on them.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from harness.dataset.recall.model import (
    RecallCorpus,
    RecallDocument,
    RecallQuery,
    Tier,
)
from harness.dataset.recall.mulberry import Mulberry32

_ROOTS = """
configure retrieve embed cluster schema query index memory vector document
fragment rank search ingest encode decode compress validate migrate replicate
authenticate authorize serialize normalize tokenize aggregate partition cache stream
buffer compile deploy monitor profile benchmark optimize schedule dispatch render
navigate annotate summarize translate classify predict calibrate synthesize
orchestrate provision federate
"""
ROOTS = tuple(_ROOTS.split())
"""Words that all others are made from; the first 40 are topics."""

_MOST_TOPICS = 40
_DISTRACTORS = ROOTS[_MOST_TOPICS:]

# "the" stands in it twice, and is so picked twice as often.
_WORDS = """
the agent should handle this case when the system processes incoming requests and
stores results for later retrieval across many rooms over time reliably
"""
_FILLER = tuple(_WORDS.split())

_SEED_BASE = 0x9956

SHUFFLE_SEED = 0x5EED
"""The seed of the shuffled variant of each tier."""


class Size(NamedTuple):
    """How large a tier is; what is neither relevant nor confusable is noise."""

    topics: int
    relevant: int
    """Relevant documents a topic."""
    confusable: int
    """Confusable documents a topic."""
    documents: int
    """All documents."""

    @property
    def seed(self) -> int:
        """What the draws of this tier start from."""
        return _SEED_BASE + 131 * self.topics + self.documents


TIERS: Mapping[Tier, Size] = MappingProxyType(
    {
        "smoke": Size(topics=6, relevant=3, confusable=5, documents=60),
        "1k": Size(topics=40, relevant=5, confusable=5, documents=1_000),
        "10k": Size(topics=40, relevant=5, confusable=5, documents=10_000),
    }
)


def forms(root: str, tag: int) -> tuple[str, ...]:
    """Return the forms of *root* that documents use; the first is the base.

    >>> forms("rank", 7)
    ('rank7', 'rankd7', 'ranks7', 'rerank7', 'rankation7')
    """
    return (
        f"{root}{tag}",
        f"{root}d{tag}",
        f"{root}s{tag}",
        f"re{root}{tag}",
        f"{root}ation{tag}",
    )


def query_form(root: str, tag: int) -> str:
    """Return the form of *root* that queries use and no document does."""
    return f"{root}ing{tag}"


def recall_corpus(tier: Tier) -> RecallCorpus:
    """Make the main corpus of *tier*: the same one in every run.

    Every text is one line of at most 73 characters, so each document is one fragment.
    Noise comes last: in this order, the newest documents are never relevant.
    """
    size = TIERS[tier]
    random = Mulberry32(size.seed)
    documents: list[RecallDocument] = []
    queries: list[RecallQuery] = []
    for topic in range(size.topics):
        relevant = list(_relevant(topic, size, random))
        documents += relevant
        documents += _confusable(topic, size, random)
        base, form = ROOTS[topic], query_form(ROOTS[topic], topic)
        text = f"{base}{topic} {form} {random.pick(_FILLER)}"
        ids = tuple(document.id for document in relevant)
        queries.append(RecallQuery(f"q-{topic}", text, ids, "topic"))
    documents += _noise(size.documents - len(documents), random)
    return RecallCorpus(tier, size.seed, size.topics, tuple(documents), tuple(queries))


def shuffled(corpus: RecallCorpus, seed: int = SHUFFLE_SEED) -> RecallCorpus:
    """Return *corpus* with its documents in another order, the queries as they are.

    In the published order all documents of a topic are neighbours, relevant ones
    first, so that how a daemon orders equal scores decides the keyword rows. A shuffle
    takes that favour from every rule alike.

    Args:
        corpus: A corpus in its published order.
        seed: The same seed gives the same order.
    """
    documents = Mulberry32(seed).shuffled(corpus.documents)
    return RecallCorpus(
        corpus.tier, corpus.seed, corpus.topics, documents, corpus.queries
    )


def _relevant(topic: int, size: Size, random: Mulberry32) -> Iterator[RecallDocument]:
    words = forms(ROOTS[topic], topic)
    for number in range(size.relevant):
        tokens = (words[0], random.pick(words), random.pick(words))
        yield RecallDocument(f"doc-{topic}-{number}", _framed(tokens, random))


def _confusable(topic: int, size: Size, random: Mulberry32) -> Iterator[RecallDocument]:
    base = forms(ROOTS[topic], topic)[0]
    for number in range(size.confusable):
        turn = 97 * topic + number
        first = forms(_DISTRACTORS[turn % 10], 1000 + turn)
        second = forms(_DISTRACTORS[(turn + 1) % 10], 2000 + turn)
        tokens = (base, random.pick(first), random.pick(second))
        yield RecallDocument(f"confuse-{topic}-{number}", _framed(tokens, random))


def _noise(count: int, random: Mulberry32) -> Iterator[RecallDocument]:
    for number in range(count):
        words = forms(_DISTRACTORS[number % 10], 5000 + number)
        tokens = (words[0], random.pick(words), random.pick(words))
        yield RecallDocument(f"noise-{number}", _framed(tokens, random))


def _framed(tokens: tuple[str, ...], random: Mulberry32) -> str:
    """Put *tokens* between two words of filler, drawn after them."""
    leading, trailing = random.pick(_FILLER), random.pick(_FILLER)
    return " ".join((leading, *tokens, trailing))
