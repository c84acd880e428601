"""Repeat, rewrite and delete documents, as a user of months would.

What comes of it is left to the queries that follow: a repeat stored twice is a hit
nobody wrote, a copy that was swallowed is a miss, and an old text that is still found
pushes an answer off.
"""

from harness.dataset.recall.lifecycle import LifecycleSlice
from harness.measure.recall.library import Library
from harness.measure.recall.rows import LIFECYCLE, Change


def apply(change: Change, slice_: LifecycleSlice, library: Library) -> None:
    """Make one of the three changes; they add up, so keep their order.

    Raises:
        DaemonError: The daemon refused a change.
    """
    match change:
        case "duplicates":
            library.repeat(LIFECYCLE, slice_.repeats)
            library.repeat(LIFECYCLE, slice_.copies)
        case "updates":
            for document in slice_.updates:
                library.update(LIFECYCLE, document)
        case "deletes":
            for identity in slice_.deletes:
                library.delete(LIFECYCLE, identity)
