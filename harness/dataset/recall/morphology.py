"""Word families that only stemming joins.

The words of the main corpus end in digits, which no stemmer touches. Here a query asks
in one form, and the documents hold other forms of the same stem (by Porter2) and never
that one. The families have no stem in common, so each is the distractor of the rest.

Families, filler and draws are those of recall-bench.
"""

from harness.dataset.recall.model import RecallDocument, RecallQuery, Slice
from harness.dataset.recall.mulberry import Mulberry32

_FAMILIES = """
configuring configuration configured configures
optimizing optimization optimized optimizes
compressing compression compressed compresses
validating validation validated validates
deploying deployment deployed deploys
scheduling scheduled schedules scheduler
filtering filtered filters filterable
rendering rendered renders renderer
publishing published publishes publisher
encrypting encryption encrypted encrypts
"""
FAMILIES = tuple(tuple(line.split()) for line in _FAMILIES.strip().splitlines())
"""Ten families: the query's word, and the three that documents use."""

_TEN = "the system for our this service today again please now"
_FILLER = tuple(_TEN.split())
_SEED = 0x9956 + 0x4D52
_DOCUMENTS = 4


def morphology_slice() -> Slice:
    """Make the slice: 40 documents, and ten queries with four relevant each."""
    random = Mulberry32(_SEED)
    documents: list[RecallDocument] = []
    queries: list[RecallQuery] = []
    for family, (asked, *written) in enumerate(FAMILIES):
        ids = tuple(f"m-{family}-{number}" for number in range(_DOCUMENTS))
        for number, each in enumerate(ids):
            leading, trailing = random.pick(_FILLER), random.pick(_FILLER)
            first, second = written[number % 3], written[(number + 1) % 3]
            text = f"{leading} {first} {second} {trailing}"
            documents.append(RecallDocument(each, text))
        text = f"{asked} {random.pick(_FILLER)}"
        queries.append(RecallQuery(f"mq-{family}", text, ids, "morphology"))
    return Slice("morphology", tuple(documents), tuple(queries))
