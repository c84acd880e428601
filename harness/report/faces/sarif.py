"""Failed cases as SARIF 2.1.0, for places that gather findings of many tools."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from harness import __version__
from harness.report.faces.cases import RULES, Case
from harness.report.faces.visible import visible

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
    "sarif-schema-2.1.0.json"
)
MAX_RESULTS = 5_000
"""What GitHub takes of one run; the last one says how many are left out."""
MAX_TEXT = 4_000

Json = bool | int | float | str | None | Sequence["Json"] | dict[str, "Json"]


def sarif_json(cases: Sequence[Case], *, file: Path, exit_code: int) -> bytes:
    """Write the failed of *cases* as one run's results.

    Args:
        cases: All that was judged.
        file: What the findings are about; where it lies outside the working folder,
            only its name is told, since a path says things about a machine.
        exit_code: How the command ends.
    """
    found = [case for case in cases if case.outcome == "failed"]
    rules = sorted({case.rule for case in found})
    results = [_result(case, rules, file) for case in found[:MAX_RESULTS]]
    if len(found) > MAX_RESULTS:
        more = f"{len(found) - MAX_RESULTS:,} more findings are left out here."
        results[-1] = _result(
            Case("harness", "left out", found[MAX_RESULTS - 1].rule, "failed", more),
            rules,
            file,
        )
    run: Json = {
        "tool": {
            "driver": {
                "name": "harness",
                "semanticVersion": __version__,
                "rules": [_rule(rule) for rule in rules],
            }
        },
        "invocations": [{"executionSuccessful": True, "exitCode": exit_code}],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    log: Json = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return f"{json.dumps(log, indent=2, ensure_ascii=False)}\n".encode()


def _rule(rule: str) -> Json:
    text = RULES.get(rule, "Something the gate looks at does not hold.")
    return {
        "id": rule,
        "shortDescription": {"text": text},
        "defaultConfiguration": {"level": "error"},
    }


def _result(case: Case, rules: Sequence[str], file: Path) -> Json:
    text = f"{case.group}, {case.name}: {case.text}".rstrip(": ")
    lines = [visible(line) for line in (*text.split("\n"), case.remedy) if line]
    message = "\n".join(lines)
    if len(message) > MAX_TEXT:
        message = f"{message[:MAX_TEXT]}..."
    identity = "\0".join((case.rule, case.group, case.name))
    digest = hashlib.sha256(identity.encode("utf-8", "backslashreplace")).hexdigest()
    return {
        "ruleId": case.rule,
        "ruleIndex": rules.index(case.rule),
        "level": "error",
        "message": {"text": message},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(file)},
                    "region": {"startLine": 1},
                }
            }
        ],
        # So that a finding of yesterday is known again, whatever its figures are today.
        "partialFingerprints": {"harnessCase/v1": digest},
    }


def _uri(file: Path) -> str:
    try:
        inside = file.resolve().relative_to(Path.cwd().resolve())
    except (ValueError, OSError):
        inside = Path(file.name)
    return quote(inside.as_posix())
