"""Every Postgres paired with every build."""

import json
from pathlib import Path

from harness.runtime.images.catalogue import read_pins
from harness.runtime.images.matrix import as_json, cells

CLONE = Path(__file__).resolve().parents[4]


def test_every_postgres_meets_every_build_once() -> None:
    found = cells(read_pins(CLONE).catalogue)

    assert [cell.name for cell in found] == [
        "postgres-17-debug",
        "postgres-17-release",
        "postgres-18-debug",
        "postgres-18-release",
    ]
    assert [(cell.postgres, cell.palace) for cell in found][:2] == [
        ("postgres-17", "palace-debug"),
        ("postgres-17", "palace-release"),
    ]


def test_json_has_the_form_a_workflow_reads() -> None:
    found = json.loads(as_json(cells(read_pins(CLONE).catalogue)))

    assert list(found) == ["include"]
    assert found["include"][0] == {
        "name": "postgres-17-debug",
        "postgres": "postgres-17",
        "palace": "palace-debug",
        "major": 17,
        "build": "debug",
    }
