"""Rules on the data set as a whole: its name, its parts, its table of concepts."""

from collections.abc import Mapping

from harness.dataset.model import Dataset
from harness.dataset.place import Place, shown
from harness.dataset.rules.strings import check_label
from harness.dataset.vectors.concepts import STOP_WORDS, words


def check_collection(dataset: Dataset, root: Place) -> None:
    """Refuse a data set without a name, documents or queries, or with idle concepts."""
    check_label(dataset.name, root.at("name"))
    if not dataset.documents:
        raise root.at("documents").refuse(
            "found no documents.", "Add at least one: there is nothing to find."
        )
    if not dataset.queries:
        raise root.at("queries").refuse(
            "found no queries.", "Add at least one: there is nothing to measure."
        )
    _check_concepts(dataset.concepts, root.at("concepts"))


def _check_concepts(concepts: Mapping[str, str], place: Place) -> None:
    for word, concept in concepts.items():
        if word in STOP_WORDS:
            raise place.at(word).refuse(
                f"{shown(word)} is a stop word, so its concept is never used.",
                "Leave it out.",
            )
        if words(word) != [word]:
            raise place.at(word).refuse(
                f"{shown(word)} is not one lower-case word, so no text matches it.",
                "Write one word a key, in lower case, letters and digits only.",
            )
        check_label(concept, place.at(word))
