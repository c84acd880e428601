"""The JSON Schemas of stored files, made from the models, committed under ``docs/``."""

import ast
import inspect
import json
from pathlib import Path
from types import ModuleType

from harness.report import ab, model
from harness.report.ab import AbResult
from harness.report.files import write_whole
from harness.report.model import FORMAT, VERSION, Report
from harness.report.part import Part

DOCS = Path(__file__).parents[2] / "docs"
PATH = DOCS / f"report-v{VERSION}.schema.json"
"""Where the repository keeps the report's schema."""
AB_PATH = DOCS / f"ab-v{ab.VERSION}.schema.json"
"""Where it keeps that of a comparison side by side."""


def report_schema() -> dict[str, object]:
    """Describe the report's file in JSON Schema, draft 2020-12.

    Fields that later versions of this harness added are not required, so that a
    stored report stays valid; what names the format always is.
    """
    return _schema(Report, (model,), f"{FORMAT}, version {VERSION}")


def ab_schema() -> dict[str, object]:
    """Describe the file of a comparison side by side, as `report_schema` does."""
    return _schema(AbResult, (model, ab), f"{ab.FORMAT}, version {ab.VERSION}")


def schema_json() -> bytes:
    """Write the report's schema as the bytes of its committed file."""
    return _written(report_schema())


def ab_schema_json() -> bytes:
    """Write the other schema likewise."""
    return _written(ab_schema())


def write(path: Path = PATH) -> None:
    """Write the report's schema to *path*.

    Raises:
        PrerequisiteError: The file system refuses.
    """
    write_whole(path, schema_json())


def write_ab(path: Path = AB_PATH) -> None:
    """Write the other schema to *path*.

    Raises:
        PrerequisiteError: The file system refuses.
    """
    write_whole(path, ab_schema_json())


def _schema(
    top: type[Part], modules: tuple[ModuleType, ...], title: str
) -> dict[str, object]:
    schema: dict[str, object] = top.model_json_schema()
    described = {
        name: fields
        for module in modules
        for name, fields in _field_descriptions(module).items()
    }
    definitions = schema.get("$defs")
    parts: dict[str, object] = {top.__name__: schema}
    if isinstance(definitions, dict):
        parts |= definitions
    for name, part in parts.items():
        properties = part.get("properties") if isinstance(part, dict) else None
        for field, text in described.get(name, {}).items():
            if isinstance(properties, dict):
                properties[field]["description"] = text
    required = schema["required"]
    if isinstance(required, list):
        schema["required"] = ["format", "version", *required]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": title,
    }


def _written(schema: dict[str, object]) -> bytes:
    return f"{json.dumps(schema, indent=2, ensure_ascii=False)}\n".encode()


def _field_descriptions(module: ModuleType) -> dict[str, dict[str, str]]:
    """Read the line under each field of each model.

    pydantic can do this by itself, but does it whenever the models are imported,
    which would cost every command what only this module needs.
    """
    described: dict[str, dict[str, str]] = {}
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.ClassDef):
            described[node.name] = {
                field.target.id: inspect.cleandoc(text.value.value)
                for field, text in zip(node.body, node.body[1:], strict=False)
                if isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(text, ast.Expr)
                and isinstance(text.value, ast.Constant)
                and isinstance(text.value.value, str)
            }
    return described


if __name__ == "__main__":
    write()
