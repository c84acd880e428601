"""Turn files of the repository into a layer's entries."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from harness.errors import UsageError
from harness.runtime.images.archive import Entry
from harness.runtime.images.catalogue import FileLayer

LEFT_OUT = {"__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache"}
"""Folders that tools leave beside sources; what is in them differs by machine."""


def entries(layer: FileLayer, clone: Path) -> Iterator[Entry]:
    """Yield the files of *layer*: one, or all below its folder, hidden ones left out.

    Only bytes and names count. The modes on disk come from somebody's umask.

    Raises:
        UsageError: The source does not exist.
    """
    source, into = clone / layer.source, PurePosixPath(layer.into)
    mode = 0o755 if layer.executable else 0o644
    if source.is_file():
        yield Entry(into, source.read_bytes(), mode)
        return
    if not source.is_dir():
        raise UsageError(
            f"{layer.source!r} is neither a file nor a folder.",
            where="images/images.toml",
        )
    for path in sorted(source.rglob("*")):
        inner = path.relative_to(source)
        hidden = any(part.startswith(".") for part in inner.parts)
        if path.is_file() and not hidden and LEFT_OUT.isdisjoint(inner.parts):
            yield Entry(into / PurePosixPath(*inner.parts), path.read_bytes(), mode)
