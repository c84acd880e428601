"""Find the questions of a LongMemEval file, whatever they are wrapped in.

A file is a list of questions, one bare question, or an object that keeps the list
under a key of any name. Each question is parsed when it is asked for, and let go.
"""

import stat
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, NamedTuple

from harness.dataset.jsonfile import JsonValue, display
from harness.dataset.longmemeval.window import JsonWindow
from harness.dataset.node import COMMENT
from harness.dataset.place import Place, shown

# An object with one of these is a question, and not the wrapping of others.
_OF_A_QUESTION = {"question_id", "question", "haystack_sessions"}


class Entry(NamedTuple):
    """One value where a question should be, and the way to it."""

    place: Place
    value: JsonValue


def open_data(path: Path) -> BufferedReader:
    """Open a data file for reading; the caller closes it.

    Raises:
        DatasetError: It is missing, no regular file, or may not be read. Pipes are
            refused because a file is read twice: for its hash, and for its questions.
    """
    place = Place(display(path))
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise place.refuse(
                "this is a folder, wanted a file.", "Name the data file in it."
            )
        if not stat.S_ISREG(mode):
            raise place.refuse(
                "this is a pipe or a device, wanted a regular file.",
                "Save the data set as a file first.",
            )
        return path.open("rb")
    except FileNotFoundError as error:
        raise place.refuse(
            "there is no such file.",
            "Check the path; it is taken from the folder the command runs in.",
        ) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise place.refuse(
            f"the file cannot be read: {reason}.",
            "Check the path and who may read the file.",
        ) from error


def entries(file: BinaryIO, name: str) -> Iterator[Entry]:
    """Yield what stands where questions should, in file order.

    Nothing is read beyond the entry at hand but what the window holds, so that a
    caller who stops early has not paid for the rest, nor seen what is wrong there.

    Args:
        file: Open at its start.
        name: The file's name, for messages.

    Raises:
        DatasetError: The file is no JSON, or neither a list nor an object.
    """
    place = Place(name)
    window = JsonWindow(file, place)
    match window.peek():
        case "[":
            yield from _listed(window, place)
        case "{":
            yield from _of_object(window, place)
        case "":
            raise place.refuse("the file is empty.", "Download or write it again.")
        case other:
            raise place.refuse(
                f"the file starts with {shown(other)}, wanted a list or an object.",
                "It may be packed, or the pointer that Git LFS leaves in place of a "
                "large file: get the JSON file itself.",
            )
    if window.peek():
        raise place.refuse(
            "more than one value stands in the file.",
            "Where every line is a question, put them into one list.",
        )


def _listed(window: JsonWindow, place: Place) -> Iterator[Entry]:
    for index, value in enumerate(window.items()):
        yield Entry(place.at(index), value)


def _of_object(window: JsonWindow, place: Place) -> Iterator[Entry]:
    members: dict[str, JsonValue] = {}
    wrapping: str | None = None
    for key in window.members():
        comment = key.startswith(COMMENT)
        bare = not _OF_A_QUESTION.isdisjoint(members)
        if comment or bare or not window.is_list_of_objects():
            members[key] = window.value()
        elif wrapping is None:
            wrapping = key
            yield from _listed(window, place.at(key))
        else:
            raise place.refuse(
                f"both {shown(wrapping)} and {shown(key)} are lists of objects.",
                "Keep the one that holds the questions.",
            )
    if not _OF_A_QUESTION.isdisjoint(members):
        yield Entry(place, members)
