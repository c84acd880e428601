"""Tell which file is being measured: its hash, the release it is, and whether it tests.

The sizes and hashes are those of the authors' published files.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from harness.dataset.conversations import Layout, layout_of, read_conversations
from harness.dataset.longmemeval.stream import open_data


class Release(NamedTuple):
    """A published file."""

    name: str
    """What a report calls it."""
    size: int
    """Bytes."""
    sha256: str
    """Lower-case hex; of one file only the beginning was ever made public."""


RELEASES = (
    Release(
        "LongMemEval oracle",
        15_388_478,
        "821a2034d219ab45846873dd14c14f12cfe7776e73527a483f9dac095d38620c",
    ),
    Release(
        "LongMemEval S, cleaned (2025-09)",
        277_383_467,
        "d6f21ea9d60a0d56f34a05b609c79c88a451d2ae03597821ea3d5a9678c3a442",
    ),
    Release(
        "LongMemEval M, cleaned (2025-09)",
        2_737_100_077,
        "9d79e5524794a2e6900a3aa9cb7d9152c5a3e8319c9a87c25494ba1eacee495f",
    ),
    Release("LongMemEval S, original (2024)", 278_025_796, "08d8dad4"),
    Release(
        "LongMemEval M, original (2024)",
        2_745_274_681,
        "fb5413e3b077c62927daab794836991a2fcfa61ceacab57dc679fb02daaff2d9",
    ),
)


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What a report says of the file that was measured."""

    name: str
    """Without the folder it lies in."""
    size: int
    """Bytes."""
    sha256: str
    """Lower-case hex, of all its bytes."""
    release: str | None
    """The published file it is, byte for byte; `None` for any other."""
    is_oracle: bool
    """Whether every session of every question is an answer session.

    Nothing can be missed then, so recall says nothing. It is told from the content,
    since people cut and rename files.
    """
    layout: Layout = "LongMemEval"


def file_facts(path: Path) -> FileFacts:
    """Return the facts of the file at *path*.

    All of it is read once for its hash, and then as many questions as it takes to find
    a session that is no evidence, which is one unless it is an oracle file.

    Raises:
        DatasetError: It cannot be read, or has neither layout.
    """
    with open_data(path) as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        size = file.tell()
    return FileFacts(
        name=path.name,
        size=size,
        sha256=sha256,
        release=known_release(size, sha256),
        is_oracle=all(each.is_evidence_only for each in read_conversations(path)),
        layout=layout_of(path),
    )


def known_release(size: int, sha256: str) -> str | None:
    """Return the name of the release with this size and hash, if there is one."""
    for release in RELEASES:
        if release.size == size and sha256.startswith(release.sha256):
            return release.name
    return None
