"""Keep a report in a file, and get it back or learn why not."""

import json
from pathlib import Path

from harness.report.files import (
    JsonFile,
    check_version,
    parse,
    read_json,
    write_whole,
)
from harness.report.model import FORMAT, VERSION, Report


def save(report: Report, path: Path) -> None:
    """Write *report* to *path*, whole or not at all.

    Raises:
        ValueError: The report holds a number that is not finite.
        UsageError: *path* is a folder or a device.
        PrerequisiteError: The file system refuses.
    """
    write_whole(path, to_json(report))


def load(path: Path) -> Report:
    """Read the report that *path* holds.

    Raises:
        ReportFormatError: It is no report, or one that this version cannot read.
    """
    return parse_report(read_json(path))


def to_json(report: Report) -> bytes:
    """Write *report* as the bytes of its file: indented, in the schema's order.

    Raises:
        ValueError: The report holds a number that is not finite.
    """
    text = json.dumps(
        report.model_dump(mode="json"), indent=2, ensure_ascii=False, allow_nan=False
    )
    return f"{text}\n".encode()


def parse_report(file: JsonFile) -> Report:
    """Turn a file that was read into the report it holds.

    Raises:
        ReportFormatError: It is no report, or one that this version cannot read.
    """
    found = file.fields.get("format")
    if found != FORMAT:
        raise file.refuse(_what_it_is(file, found))
    check_version(file, kind="report", version=VERSION)
    return parse(file, Report, kind="report")


def _what_it_is(file: JsonFile, found: object) -> str:
    if found is not None:
        return f"not a report: its format is {found!r}, not {FORMAT!r}."
    if file.fields.get("benchmark") == "recall-bench":
        return "results of recall-bench, which `compare` and `registry` read."
    if "memcastle_version" in file.fields:
        return "a report of MemCastle's own, which only `compare` reads."
    return f'not a report: it has no "format": "{FORMAT}".'
