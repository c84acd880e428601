"""The faces of a report or a verdict that go into files, or in the tables' place."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.cli.output import refuse_unwritable
from harness.errors import ExitCode, UsageError
from harness.report.faces.cases import Case
from harness.report.faces.junit import junit_xml
from harness.report.faces.sarif import sarif_json
from harness.report.files import write_whole

WRITTEN = ("html", "junit", "sarif")
"""Options that name a file; a command need not have all of them."""


@dataclass(frozen=True, slots=True)
class Faces:
    """What a command has to show, made only where it is asked for."""

    title: str
    page: Callable[[], bytes] | None
    cases: Callable[[], Sequence[Case]]
    about: Path
    """The file that the findings are about."""
    exit_code: ExitCode


def refuse_unwritable_faces(
    arguments: argparse.Namespace, *inputs: Path | None
) -> None:
    """Fail before any work where a face could not be written after it.

    Args:
        arguments: The options given.
        inputs: Files the command reads, or writes otherwise.

    Raises:
        UsageError: A face has no file's path, or would replace another file.
        PrerequisiteError: Its folder may not be written.
    """
    wanted = _wanted(arguments)
    for option, path in wanted.items():
        refuse_unwritable(path, *inputs)
        for other, there in wanted.items():
            if other < option and there.absolute() == path.absolute():
                raise UsageError(
                    f"--{other} and --{option} name the same file: {str(path)!r}.",
                    remedy="Give each a file of its own.",
                )


def write_faces(arguments: argparse.Namespace, faces: Faces) -> list[Path]:
    """Write the faces that were asked for, and name their files.

    Raises:
        PrerequisiteError: The file system refuses.
    """
    wanted = _wanted(arguments)
    if "html" in wanted and faces.page is not None:
        write_whole(wanted["html"], faces.page())
    if "junit" in wanted:
        write_whole(wanted["junit"], junit_xml(faces.title, faces.cases()))
    if "sarif" in wanted:
        data = sarif_json(
            faces.cases(), file=faces.about, exit_code=int(faces.exit_code)
        )
        write_whole(wanted["sarif"], data)
    return list(wanted.values())


def _wanted(arguments: argparse.Namespace) -> dict[str, Path]:
    given = {option: getattr(arguments, option, None) for option in WRITTEN}
    return {option: Path(path) for option, path in given.items() if path is not None}
