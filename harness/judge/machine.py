"""The judge's findings as JSON, for machines.

Numbers keep every digit. A number that is not finite becomes ``null``, since JSON has
no other word for it; such a change is always marked as a regression.
"""

import json
import math

from harness.judge.comparable import Comparable
from harness.judge.compare import Change, Comparison, OneSided
from harness.judge.gate import GateVerdict
from harness.judge.matrix import Cell, Matrix
from harness.judge.preconditions import Difference, Value
from harness.judge.reproduction import Reproduction
from harness.judge.sameness import FirstDifference

Json = bool | int | float | str | None | list["Json"] | dict[str, "Json"]

COMPARISON_FORMAT = "harness-comparison"
VERDICT_FORMAT = "harness-verdict"
MATRIX_FORMAT = "harness-matrix"
REPRODUCTION_FORMAT = "harness-reproduction"
VERSION = 1


def comparison_json(comparison: Comparison) -> bytes:
    """Describe everything a comparison found, unchanged metrics included."""
    return as_bytes(comparison_fields(comparison))


def verdict_json(verdict: GateVerdict) -> bytes:
    """Describe the gate's verdict, with the comparison it rests on."""
    return as_bytes(_verdict(verdict))


def matrix_json(matrix: Matrix) -> bytes:
    """Describe the cells of a matrix: quality held against the first, and speed."""
    return as_bytes(
        {
            "format": MATRIX_FORMAT,
            "version": VERSION,
            "exit_code": int(matrix.exit_code),
            "identical": not matrix.differences,
            "differences": [
                {"cell": item.cell, **_first(item.difference)}
                for item in matrix.differences
            ],
            "violations": list(matrix.violations),
            "cells": [_cell(matrix, cell) for cell in matrix.cells],
        }
    )


def reproduction_json(found: Reproduction) -> bytes:
    """Describe what a re-run has in common with the report it repeats."""
    return as_bytes(
        {
            "format": REPRODUCTION_FORMAT,
            "version": VERSION,
            "exit_code": int(found.exit_code),
            "reproduced": found.first is None,
            "evidence_compared": found.evidence,
            "first_difference": None if found.first is None else _first(found.first),
            "circumstances": [_difference(item) for item in found.circumstances],
        }
    )


def as_bytes(document: Json) -> bytes:
    """Write *document* as the bytes of a file or of standard output.

    Raises:
        ValueError: It holds a number that is not finite.
    """
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()


def comparison_fields(comparison: Comparison) -> dict[str, Json]:
    """Give everything a comparison found, for a document to hold."""
    return {
        "format": COMPARISON_FORMAT,
        "version": VERSION,
        "exit_code": int(comparison.exit_code),
        "threshold": comparison.threshold,
        "comparable": not comparison.differences,
        "base": _side(comparison.base),
        "new": _side(comparison.new),
        "differences": [_difference(item) for item in comparison.differences],
        "broken": list(comparison.broken),
        "base_broken": list(comparison.base.broken),
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
        "evidence": list(verdict.evidence),
        "findings": [
            {
                "code": finding.code,
                "fails": finding.fails,
                "text": finding.text,
                "remedy": finding.remedy,
            }
            for finding in verdict.findings
        ],
        "comparison": None if comparison is None else comparison_fields(comparison),
    }


def _cell(matrix: Matrix, cell: Cell) -> dict[str, Json]:
    report = cell.report
    speeds = {name: matrix.speed(cell, name) for name in matrix.configurations}
    return {
        "cell": cell.name,
        "build": report.daemon.build.name,
        "postgres": report.environment.postgres,
        "pgvector": report.environment.pgvector,
        "images": {image.name: image.digest for image in report.environment.images},
        "latency": {
            name: {"p50_ms": speed.p50_ms, "ratio": speed.ratio}
            for name, speed in speeds.items()
        },
    }


def _first(difference: FirstDifference) -> dict[str, Json]:
    return {
        "field": difference.field,
        "configuration": difference.configuration,
        "query": difference.query,
        "rank": difference.rank,
        "base": difference.base,
        "new": difference.new,
    }


def _difference(item: Difference) -> dict[str, Json]:
    return {"field": item.field, "base": _value(item.base), "new": _value(item.new)}


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
