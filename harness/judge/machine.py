"""The judge's findings as JSON, for machines.

Numbers keep every digit. A number that is not finite becomes ``null``, since JSON has
no other word for it; such a change is always marked as a regression.
"""

import json
import math

from harness.judge.comparable import Comparable
from harness.judge.compare import Change, Comparison, OneSided
from harness.judge.gate import GateVerdict
from harness.judge.preconditions import Value

Json = bool | int | float | str | None | list["Json"] | dict[str, "Json"]

COMPARISON_FORMAT = "harness-comparison"
VERDICT_FORMAT = "harness-verdict"
VERSION = 1


def comparison_json(comparison: Comparison) -> bytes:
    """Describe everything a comparison found, unchanged metrics included."""
    return _bytes(_comparison(comparison))


def verdict_json(verdict: GateVerdict) -> bytes:
    """Describe the gate's verdict, with the comparison it rests on."""
    return _bytes(_verdict(verdict))


def _bytes(document: Json) -> bytes:
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()


def _comparison(comparison: Comparison) -> dict[str, Json]:
    return {
        "format": COMPARISON_FORMAT,
        "version": VERSION,
        "exit_code": int(comparison.exit_code),
        "threshold": comparison.threshold,
        "comparable": not comparison.differences,
        "base": _side(comparison.base),
        "new": _side(comparison.new),
        "differences": [
            {"field": item.field, "base": _value(item.base), "new": _value(item.new)}
            for item in comparison.differences
        ],
        "one_sided": [_one_sided(item) for item in comparison.one_sided],
        "metrics_compared": len(comparison.changes),
        "regressions": len(comparison.regressions),
        "changes": [_change(change) for change in comparison.changes],
        "rankings_changed": [
            {
                "configuration": item.configuration,
                "query": item.query,
                "rank": item.rank,
            }
            for item in comparison.rankings
        ],
    }


def _verdict(verdict: GateVerdict) -> dict[str, Json]:
    comparison = verdict.comparison
    return {
        "format": VERDICT_FORMAT,
        "version": VERSION,
        "passed": verdict.passed,
        "exit_code": int(verdict.exit_code),
        "findings": [
            {
                "code": finding.code,
                "fails": finding.fails,
                "text": finding.text,
                "remedy": finding.remedy,
            }
            for finding in verdict.findings
        ],
        "comparison": None if comparison is None else _comparison(comparison),
    }


def _side(view: Comparable) -> dict[str, Json]:
    return {
        "source": view.source,
        "kind": view.kind,
        "dataset": {
            "name": view.dataset_name,
            "version": view.dataset_version,
            "sha256": view.dataset_sha256,
        },
    }


def _one_sided(item: OneSided) -> dict[str, Json]:
    return {
        "side": item.side,
        "configuration": item.configuration,
        "scope": item.scope,
        "metric": item.metric,
        "fails": item.fails,
    }


def _change(change: Change) -> dict[str, Json]:
    return {
        "configuration": change.configuration,
        "scope": change.scope,
        "metric": change.metric,
        "base": _finite(change.base),
        "new": _finite(change.new),
        "change": _finite(change.change),
        "regression": change.regression,
    }


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _value(value: Value) -> Json:
    return list(value) if isinstance(value, tuple) else value
