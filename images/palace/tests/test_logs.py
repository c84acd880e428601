"""What a log line may hold, checked on a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parent.parent

_PROGRAM = """
import asyncpg, structlog
from palace.logs import set_up_logs

set_up_logs("{style}")
drawer_text = "my secret diary"
try:
    raise {error}
except Exception:
    structlog.get_logger("palace.test").exception("failed", path="/api/x")
"""


def logged(error: str, style: str = "json") -> str:
    got = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(error=error, style=style)],
        cwd=_ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return got.stderr


def test_an_exception_is_one_json_line_without_local_variables() -> None:
    line = logged("ValueError('bad thing')")
    event = json.loads(line)

    assert event["event"] == "failed"
    assert event["level"] == "error"
    assert event["exception"]["type"] == "ValueError"
    assert event["exception"]["message"] == "bad thing"
    assert "diary" not in line


@pytest.mark.parametrize(
    "error",
    [
        "asyncpg.DataError(\"invalid input: 'my secret diary'\")",
        "asyncpg.UniqueViolationError('duplicate key')",
    ],
)
@pytest.mark.parametrize("style", ["json", "text"])
def test_what_a_caller_sent_is_not_logged(error: str, style: str) -> None:
    assert "diary" not in logged(error, style).split("Traceback")[0]
