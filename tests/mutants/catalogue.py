"""The planted faults by name, read from their sources: importing needs the daemon."""

import ast
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Fault:
    """One fault of the reference daemon.

    Attributes:
        module: The module of `faults` that plants it.
        name: Its function there.
        does: What the daemon then does, one sentence.
    """

    module: str
    name: str
    does: str

    @property
    def mutant(self) -> str:
        """What ``python -m plant`` finds it by."""
        return f"{self.module}.{self.name}"


def read_faults(folder: Path = HERE / "faults") -> tuple[Fault, ...]:
    """Read every fault of a folder's modules, in the order of their names."""
    return tuple(
        fault for source in sorted(folder.glob("*.py")) for fault in faults_of(source)
    )


def faults_of(source: Path) -> tuple[Fault, ...]:
    """Read the faults of one module: public functions that take and return nothing."""
    return tuple(
        Fault(source.stem, node.name, _first_line(node))
        for node in ast.parse(source.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and _is_fault(node)
    )


def _is_fault(node: ast.FunctionDef) -> bool:
    returns_none = isinstance(node.returns, ast.Constant) and node.returns.value is None
    arguments = node.args
    takes = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return returns_none and not takes and not node.name.startswith("_")


def _first_line(node: ast.FunctionDef) -> str:
    return (ast.get_docstring(node) or "").partition("\n")[0]
