"""The report's JSON Schema, made from the models and committed under ``docs/``."""

import ast
import inspect
import json
from pathlib import Path

from harness.report import model
from harness.report.files import write_whole
from harness.report.model import FORMAT, VERSION, Report

PATH = Path(__file__).parents[2] / "docs" / f"report-v{VERSION}.schema.json"
"""Where the repository keeps the schema."""


def report_schema() -> dict[str, object]:
    """Describe the report's file in JSON Schema, draft 2020-12.

    Fields that later versions of this harness added are not required, so that a
    stored report stays valid; what names the format always is.
    """
    schema: dict[str, object] = Report.model_json_schema()
    described = _field_descriptions()
    definitions = schema.get("$defs")
    parts: dict[str, object] = {"Report": schema}
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
        "title": f"{FORMAT}, version {VERSION}",
    }


def schema_json() -> bytes:
    """Write the schema as the bytes of its committed file."""
    return f"{json.dumps(report_schema(), indent=2, ensure_ascii=False)}\n".encode()


def write(path: Path = PATH) -> None:
    """Write the schema to *path*.

    Raises:
        PrerequisiteError: The file system refuses.
    """
    write_whole(path, schema_json())


def _field_descriptions() -> dict[str, dict[str, str]]:
    """Read the line under each field of each model.

    pydantic can do this by itself, but does it whenever the models are imported,
    which would cost every command what only this module needs.
    """
    described: dict[str, dict[str, str]] = {}
    for node in ast.parse(inspect.getsource(model)).body:
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
