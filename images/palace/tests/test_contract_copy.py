"""The committed OpenAPI document and schema head are what the code says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from alembic.config import Config
from alembic.script import ScriptDirectory

from palace import migrations
from palace.app import create_app, describe
from palace.settings import Settings

_ROOT = Path(__file__).parent.parent


def test_the_committed_openapi_document_is_up_to_date() -> None:
    committed = json.loads((_ROOT / "openapi.json").read_text(encoding="utf-8"))

    # Made anew by `python -m palace openapi > openapi.json`.
    assert describe(create_app(Settings(database_url=""))) == committed


def test_every_reference_of_the_document_leads_somewhere() -> None:
    document = describe(create_app(Settings(database_url="")))
    schemas = document["components"]["schemas"]
    wanted = {
        part.split('"')[0]
        for part in json.dumps(document).split("#/components/schemas/")[1:]
    }

    assert wanted - set(schemas) == set()


def test_every_operation_describes_its_answer_and_its_errors() -> None:
    document = describe(create_app(Settings(database_url="")))

    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            codes = set(operation["responses"])
            assert codes & {"200", "201", "202", "204"}, (method, path)
            assert path == "/api/health" or {"401", "500", "503"} <= codes


def test_the_head_written_down_is_alembic_s_own() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))

    assert ScriptDirectory.from_config(config).get_heads() == [migrations.HEAD]


def test_serving_imports_neither_alembic_nor_sqlalchemy() -> None:
    code = (
        "import sys, palace.server;"
        "print([m for m in ('alembic', 'sqlalchemy') if m in sys.modules])"
    )
    got = subprocess.run(
        [sys.executable, "-c", code],
        cwd=_ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert got.stdout.strip() == "[]"
