"""Rules on corrections: which document gives way to which, and when."""

from harness.dataset.model import Dataset, Placement, Supersession
from harness.dataset.place import Place, nearest, shown
from harness.dataset.rules.strings import check_id, check_text
from harness.errors import DatasetError

LAST_EPOCH = 1000
"""Every epoch, even an empty one, costs two pauses in seeding; a thousand of them
are minutes already, and a larger number is a slip of the keyboard."""


def check_corrections(dataset: Dataset, place: Place) -> None:
    """Refuse corrections that cannot be written one after the other."""
    bases = {document.id for document in dataset.documents}
    used = set(bases)
    corrected: dict[str, str] = {}
    for index, correction in enumerate(dataset.supersessions):
        here = place.at(index)
        _check_epoch(correction.epoch, here.at("epoch"))
        if correction.doc not in bases:
            raise _not_a_base(dataset, correction, here.at("doc"))
        if correction.doc in corrected:
            raise here.at("doc").refuse(
                f"{shown(correction.doc)} is already superseded, by "
                f"{shown(corrected[correction.doc])}.",
                "Correct each document at most once.",
            )
        check_id(correction.new_id, here.at("new_id"))
        if correction.new_id in used:
            raise here.at("new_id").refuse(
                f"{shown(correction.new_id)} is already the id of another document.",
                "Give every correction an id of its own.",
            )
        check_text(correction.content, here.at("content"))
        corrected[correction.doc] = correction.new_id
        used.add(correction.new_id)
    _check_contents(dataset, place)


def _check_epoch(epoch: int, place: Place) -> None:
    if epoch == 0:
        raise place.refuse(
            "found 0: epoch 0 is where the base documents are written.",
            "Start corrections at epoch 1.",
        )
    if epoch > LAST_EPOCH:
        raise place.refuse(
            f"found {epoch}, wanted at most {LAST_EPOCH}.",
            "Number the epochs from 1 without gaps.",
        )


def _not_a_base(
    dataset: Dataset, correction: Supersession, place: Place
) -> DatasetError:
    if correction.doc in {each.new_id for each in dataset.supersessions}:
        return place.refuse(
            f"{shown(correction.doc)}, which {shown(correction.new_id)} supersedes, "
            "is a correction itself.",
            "Corrections do not chain: supersede a base document.",
        )
    bases = [document.id for document in dataset.documents]
    return place.refuse(
        f"{shown(correction.doc)}, which {shown(correction.new_id)} supersedes, is "
        "not a base document.",
        f"{nearest(correction.doc, bases)}Supersede one of `documents`.",
    )


def _check_contents(dataset: Dataset, place: Place) -> None:
    """Follow the rooms through time, in the order corrections are written.

    Two drawers that hold at once in one room with one content cannot be told apart:
    a ranking has them in either order, and a daemon may keep only one.
    """
    rooms = {each.id: Placement(each.wing, each.room) for each in dataset.documents}
    holders = {(rooms[each.id], each.content): each.id for each in dataset.documents}
    contents = {each.id: each.content for each in dataset.documents}
    in_time = sorted(enumerate(dataset.supersessions), key=lambda each: each[1].epoch)
    for index, correction in in_time:
        room = rooms[correction.doc]
        twin = holders.get((room, correction.content))
        if twin is not None:
            here = place.at(index, "content")
            raise here.refuse(
                f"{shown(correction.content)} is word for word the content of "
                f"{shown(twin)}, which holds in that room when this is written.",
                "Change the content, or drop the correction.",
            )
        del holders[room, contents[correction.doc]]
        holders[room, correction.content] = correction.new_id
