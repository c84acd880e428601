"""``harness show``, ``validate`` and ``schema``: what stored files say."""

import argparse

from harness.cli.faces import Faces, refuse_unwritable_faces, write_faces
from harness.cli.output import emit
from harness.dataset.read import read_dataset
from harness.errors import ExitCode, UsageError
from harness.report import schema
from harness.report.faces.cases import report_cases
from harness.report.faces.html import report_page
from harness.report.faces.markdown import report_markdown
from harness.report.quality import quality_json
from harness.report.store import load, to_json
from harness.report.terminal import print_report


def run_show(arguments: argparse.Namespace) -> ExitCode:
    """Print a stored report: as tables, as JSON, or as another face."""
    refuse_unwritable_faces(arguments, *arguments.report)
    path, *others = arguments.report
    if others and arguments.html is None:
        raise UsageError(
            f"{len(others) + 1} reports are too many to print.",
            remedy="Give one, or --html FILE to draw their sizes as curves.",
        )
    reports = [load(each) for each in arguments.report]
    report = reports[0]
    faces = Faces(
        title="harness show",
        page=lambda: report_page(reports),
        cases=lambda: report_cases(report),
        about=path,
        exit_code=ExitCode.PASSED,
    )
    written = write_faces(arguments, faces)
    if arguments.json:
        emit(to_json(report))
    elif arguments.quality:
        emit(quality_json(report))
    elif arguments.markdown:
        emit(report_markdown(report))
    elif written:
        print("\n".join(f"wrote           {each}" for each in written))
    else:
        print_report(report, path)
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
    """Print the report's JSON Schema, or write all to where they are committed."""
    if arguments.write:
        schema.write()
        schema.write_ab()
    else:
        emit(schema.schema_json())
    return ExitCode.PASSED
