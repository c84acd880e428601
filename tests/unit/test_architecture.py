"""Data walks one way through the house; this test walks the imports to see it."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "harness"

MAY_IMPORT = {
    "errors": set(),
    "units": {"errors"},
    "bootstrap": set(),
    "dataset": {"errors", "units"},
    "report": {"errors", "units", "dataset"},
    "daemon": {"errors", "units"},
    "provider": {"errors", "units"},
    "runtime": {"errors", "units", "daemon", "report"},
    "measure": {
        "errors",
        "units",
        "dataset",
        "daemon",
        "provider",
        "runtime",
        "report",
    },
    "judge": {"errors", "units", "dataset", "report"},
    "cli": {
        "errors",
        "units",
        "dataset",
        "daemon",
        "provider",
        "runtime",
        "measure",
        "report",
        "judge",
    },
    "__main__": {"cli"},
    "__init__": set(),
}
"""A room, and the rooms its files may import beside its own."""

EDGE_LIBRARIES = {"docker", "testcontainers", "httpx", "httpcore", "tenacity"}
PURE_ROOMS = {"errors", "units", "dataset", "report", "judge"}
PURE_FILES = {
    "harness/measure/metrics.py",
    "harness/measure/ties.py",
    "harness/measure/latency.py",
    "harness/measure/invariants.py",
    "harness/measure/official.py",
}


def imported_modules(source: Path) -> Iterator[str]:
    """Name every module a file imports, wherever in the file it does so."""
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{source}: relative import"
            yield node.module or ""


def room_of(source: Path) -> str:
    """Name the room a file of the package lies in."""
    return source.relative_to(PACKAGE).parts[0].removesuffix(".py")


def wrong_arrows(source: Path) -> list[str]:
    """List the imports by which a file leaves its room the wrong way."""
    room = room_of(source)
    allowed = MAY_IMPORT[room] | {room}
    wrong = []
    for module in imported_modules(source):
        head, _, rest = module.partition(".")
        inner = rest.partition(".")[0]
        if head == "harness" and inner and inner not in allowed:
            wrong.append(module)
        pure = room in PURE_ROOMS or str(source.relative_to(ROOT)) in PURE_FILES
        if pure and head in EDGE_LIBRARIES:
            wrong.append(module)
        if head == "palace":
            wrong.append(module)
    return wrong


@pytest.mark.parametrize(
    "source",
    sorted(PACKAGE.rglob("*.py")),
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_every_import_follows_the_direction_of_the_data(source: Path) -> None:
    assert wrong_arrows(source) == []


def test_every_room_of_the_package_is_known() -> None:
    rooms = {room_of(source) for source in PACKAGE.rglob("*.py")}
    assert rooms <= MAY_IMPORT.keys()


def test_a_wrong_arrow_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "harness"
    (package / "report").mkdir(parents=True)
    source = package / "report" / "face.py"
    source.write_text(
        "import httpx\nfrom harness.measure import passes\nimport palace\n"
    )
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    monkeypatch.setattr(f"{__name__}.PACKAGE", package)

    assert wrong_arrows(source) == ["httpx", "harness.measure", "palace"]


def test_the_bootstrap_needs_nothing_but_the_standard_library() -> None:
    modules = set(imported_modules(PACKAGE / "bootstrap.py"))
    heads = {module.partition(".")[0] for module in modules}
    assert heads <= set(sys.stdlib_module_names)


def test_no_room_is_a_drawer_for_odds_and_ends() -> None:
    names = {path.stem for path in PACKAGE.rglob("*")}
    assert names.isdisjoint({"utils", "helpers", "common", "misc", "manager"})
