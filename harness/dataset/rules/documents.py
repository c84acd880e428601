"""Rules on base documents."""

from collections.abc import Sequence

from harness.dataset.filler import FILLER_WING
from harness.dataset.model import Document
from harness.dataset.place import Place, shown
from harness.dataset.rules.strings import check_id, check_name, check_text


def check_documents(documents: Sequence[Document], place: Place) -> None:
    """Refuse documents a daemon would not store, or not as drawers of their own."""
    first_of_id: dict[str, int] = {}
    first_of_content: dict[tuple[str, str, str], str] = {}
    for index, document in enumerate(documents):
        here = place.at(index)
        check_id(document.id, here.at("id"))
        earlier = first_of_id.setdefault(document.id, index)
        if earlier != index:
            raise here.at("id").refuse(
                f"{shown(document.id)} is the id of {place.at(earlier).path} too.",
                "Give every document an id of its own.",
            )
        _check_placement(document, here)
        check_text(document.content, here.at("content"))
        drawer = (document.wing, document.room, document.content)
        twin = first_of_content.setdefault(drawer, document.id)
        if twin != document.id:
            raise here.at("content").refuse(
                f"{shown(document.content)} is word for word the content of "
                f"{shown(twin)} in the same room, and a daemon stores it once.",
                "Change the content, move it to another room, or drop one of the two.",
            )


def _check_placement(document: Document, here: Place) -> None:
    check_name(document.wing, here.at("wing"))
    if document.wing == FILLER_WING:
        raise here.at("wing").refuse(
            f"{shown(document.wing)} is the wing the harness keeps for filler.",
            "Choose another wing.",
        )
    check_name(document.room, here.at("room"))
