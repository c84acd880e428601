"""What LoCoMo's category numbers mean, and which questions have no answer.

The names are those of the paper's question types as the authors' code numbers them.
Many tools have 1 and 4 the other way round, so the number stands in every name: a table
by name alone does not compare with one of theirs.
"""

from harness.dataset.node import Node
from harness.dataset.place import shown

NAMES = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}

ADVERSARIAL = NAMES[5]
"""The conversation does not answer these: what they cite as evidence misleads."""

CAUTION = (
    "Categories 1 and 4 are multi-hop and single-hop here, as in the authors' code; "
    "many tools have them the other way round, so compare by number."
)


def category(node: Node | None) -> str:
    """Return the name of a question's category, with its number where it has one.

    A name is kept as it stands; nothing and null give no category.
    """
    if node is None or node.value is None:
        return ""
    value = node.value
    if isinstance(value, str):
        return value
    name = NAMES.get(value) if isinstance(value, int) else None
    if name is None or isinstance(value, bool):
        raise node.place.refuse(
            f"found {shown(value)}, wanted a category from 1 to 5, or its name.",
            "They are: "
            + ", ".join(f"{number} {each}" for number, each in NAMES.items())
            + ".",
        )
    return f"{value} {name}"


def is_adversarial(name: str) -> bool:
    """Tell whether questions of a category have no answer in the conversation."""
    return name.lower().endswith(ADVERSARIAL)
