"""``harness show``, ``validate`` and ``schema``: what stored files say."""

import argparse

from harness.cli.output import emit
from harness.dataset.read import read_dataset
from harness.errors import ExitCode
from harness.report import schema
from harness.report.quality import quality_json
from harness.report.store import load, to_json
from harness.report.terminal import print_report


def run_show(arguments: argparse.Namespace) -> ExitCode:
    """Print a stored report: as tables, as JSON, or what must not change."""
    report = load(arguments.report)
    if arguments.json:
        emit(to_json(report))
    elif arguments.quality:
        emit(quality_json(report))
    else:
        print_report(report, arguments.report)
    return ExitCode.PASSED


def run_validate(arguments: argparse.Namespace) -> ExitCode:
    """Check a data set file, and say what is in it."""
    dataset = read_dataset(arguments.dataset)
    print(
        f"{dataset.name} version {dataset.version}: "
        f"{len(dataset.documents)} documents, "
        f"{len(dataset.supersessions)} corrections, "
        f"{len(dataset.mentions)} mentions, {len(dataset.queries)} queries.\n"
        f"SHA-256 {dataset.sha256}"
    )
    return ExitCode.PASSED


def run_schema(arguments: argparse.Namespace) -> ExitCode:
    """Print the report's JSON Schema, or write it where it is committed."""
    if arguments.write:
        schema.write()
    else:
        emit(schema.schema_json())
    return ExitCode.PASSED
