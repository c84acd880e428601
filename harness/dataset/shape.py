"""Turn the JSON of a core data file into a `Dataset`, checking shape alone.

Keys, types and ranges are settled here; what the values must mean to each other is
settled in `harness.dataset.rules`.
"""

from pathlib import Path

from harness.dataset.model import (
    AsOfEpoch,
    BetweenEpochs,
    Dataset,
    Document,
    Filter,
    Historical,
    Judgment,
    Mention,
    Present,
    Query,
    Supersession,
    Temporal,
)
from harness.dataset.node import Node
from harness.dataset.place import shown

# Numbers in the format are unsigned and 32 bits wide.
_LARGEST = (1 << 32) - 1


def dataset(root: Node, *, sha256: str, path: Path) -> Dataset:
    """Return the data set in *root*, its shape checked and its rules not yet.

    Raises:
        DatasetError: A key is unknown or missing, or a value is of the wrong kind.
    """
    members = root.members(
        required=("name", "version", "description", "concepts", "documents", "queries"),
        optional=("supersessions", "mentions"),
    )
    concepts = members["concepts"].object()
    corrections = members["supersessions"].items() if "supersessions" in members else ()
    mentions = members["mentions"].items() if "mentions" in members else ()
    return Dataset(
        name=members["name"].text(),
        version=members["version"].whole_number(most=_LARGEST),
        description=members["description"].text(),
        concepts={word: concept.text() for word, concept in concepts.items()},
        documents=tuple(_document(each) for each in members["documents"].items()),
        supersessions=tuple(_supersession(each) for each in corrections),
        mentions=tuple(_mention(each) for each in mentions),
        queries=tuple(_query(each) for each in members["queries"].items()),
        sha256=sha256,
        path=path,
    )


def _document(node: Node) -> Document:
    members = node.members(required=("id", "wing", "room", "content"))
    return Document(
        id=members["id"].text(),
        wing=members["wing"].text(),
        room=members["room"].text(),
        content=members["content"].text(),
    )


def _supersession(node: Node) -> Supersession:
    members = node.members(required=("epoch", "doc", "new_id", "content"))
    return Supersession(
        epoch=members["epoch"].whole_number(most=_LARGEST),
        doc=members["doc"].text(),
        new_id=members["new_id"].text(),
        content=members["content"].text(),
    )


def _mention(node: Node) -> Mention:
    members = node.members(required=("doc", "entity", "kind"))
    return Mention(
        doc=members["doc"].text(),
        entity=members["entity"].text(),
        kind=members["kind"].text(),
    )


def _query(node: Node) -> Query:
    members = node.members(
        required=("id", "category", "text", "relevant"),
        optional=("filter", "temporal", "runs"),
    )
    return Query(
        id=members["id"].text(),
        category=members["category"].text(),
        text=members["text"].text(),
        filter=_filter(members.get("filter")),
        temporal=_temporal(members.get("temporal")),
        configurations=_configurations(members.get("runs")),
        relevant=tuple(_judgment(each) for each in members["relevant"].items()),
    )


def _configurations(node: Node | None) -> tuple[str, ...] | None:
    if node is None or node.value is None:
        return None
    return tuple(each.text() for each in node.items())


def _filter(node: Node | None) -> Filter:
    if node is None:
        return Filter()
    sides = {
        key: None if each.value is None else each.text()
        for key, each in node.members(required=(), optional=("wing", "room")).items()
    }
    return Filter(wing=sides.get("wing"), room=sides.get("room"))


def _temporal(node: Node | None) -> Temporal:
    if node is None or node.value is None:
        return Present()
    if node.value == "historical":
        return Historical()
    if not isinstance(node.value, dict):
        raise node.place.refuse(
            f"found {shown(node.value)}, wanted a time.",
            'Write null, "historical", {"as_of_epoch": n} or '
            '{"between_epochs": [from, until]}.',
        )
    members = node.members(required=(), optional=("as_of_epoch", "between_epochs"))
    match dict(members):
        case {"as_of_epoch": epoch, **others} if not others:
            return AsOfEpoch(epoch.whole_number(most=_LARGEST))
        case {"between_epochs": window, **others} if not others:
            return _window(window)
        case _:
            raise node.place.refuse(
                f"found {len(members)} times, wanted one.",
                "Keep either as_of_epoch or between_epochs; leave `temporal` out "
                "to ask about the present.",
            )


def _window(node: Node) -> BetweenEpochs:
    ends = [each.whole_number(most=_LARGEST) for each in node.items()]
    if len(ends) != 2:
        raise node.place.refuse(
            f"found {len(ends)} epochs, wanted two.", "Write [from, until]."
        )
    return BetweenEpochs(ends[0], ends[1])


def _judgment(node: Node) -> Judgment:
    members = node.members(required=("doc", "grade"))
    return Judgment(
        doc=members["doc"].text(),
        grade=members["grade"].whole_number(most=_LARGEST),
    )
