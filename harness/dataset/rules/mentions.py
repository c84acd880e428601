"""Rules on entity links."""

from harness.dataset.model import Dataset
from harness.dataset.place import Place, nearest, shown
from harness.dataset.rules.strings import check_kind, check_label


def check_mentions(dataset: Dataset, place: Place) -> None:
    """Refuse links that cannot be made when links are made: before corrections."""
    bases = {document.id for document in dataset.documents}
    replaced = {each.new_id: each.doc for each in dataset.supersessions}
    seen: dict[tuple[str, str, str], int] = {}
    for index, mention in enumerate(dataset.mentions):
        here = place.at(index)
        if mention.doc in replaced:
            raise here.at("doc").refuse(
                f"{shown(mention.doc)} is a correction, and links are made before "
                "corrections are.",
                f"Link the base document {shown(replaced[mention.doc])}.",
            )
        if mention.doc not in bases:
            raise here.at("doc").refuse(
                f"{shown(mention.doc)} is not a document of this data set.",
                f"{nearest(mention.doc, bases)}Link one of `documents`.",
            )
        check_label(mention.entity, here.at("entity"))
        check_kind(mention.kind, here.at("kind"))
        # Daemons lower-case the kind, and a link is there or it is not.
        link = (mention.doc, mention.entity, mention.kind.lower())
        earlier = seen.setdefault(link, index)
        if earlier != index:
            raise here.refuse(
                f"{shown(mention.doc)} is already linked to {shown(mention.entity)}, "
                f"by {place.at(earlier).path}.",
                "Keep one of the two.",
            )
