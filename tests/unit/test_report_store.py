"""A report's file is whole or absent, and is read with suspicion."""

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.errors import PrerequisiteError, ReportFormatError, UsageError
from harness.report import files
from harness.report.model import HarnessFacts
from harness.report.store import load, save, to_json
from tests.builders import a_configuration, a_latency, a_ranking, a_report


def test_a_saved_report_comes_back_equal(tmp_path: Path) -> None:
    report = a_report(
        a_configuration(latency=a_latency(), rankings=[a_ranking(), a_ranking("q2")])
    )
    save(report, tmp_path / "report.json")

    assert load(tmp_path / "report.json") == report


def test_text_beyond_ascii_and_every_digit_survive(tmp_path: Path) -> None:
    report = a_report(
        a_configuration(
            metrics={"mrr": 0.1 + 0.2}, rankings=[a_ranking(documents=["café/☕"])]
        )
    )
    save(report, tmp_path / "report.json")

    loaded = load(tmp_path / "report.json").configurations[0]
    assert loaded.metrics["mrr"] == 0.30000000000000004
    assert loaded.rankings[0].hits[0].document == "café/☕"
    assert "café/☕" in (tmp_path / "report.json").read_text(encoding="utf-8")


def test_folders_on_the_way_are_made(tmp_path: Path) -> None:
    save(a_report(), tmp_path / "a" / "b" / "report.json")

    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["report.json"]


def test_others_may_read_a_new_report(tmp_path: Path) -> None:
    previous = os.umask(0o022)
    try:
        save(a_report(), tmp_path / "report.json")
    finally:
        os.umask(previous)

    assert stat.S_IMODE((tmp_path / "report.json").stat().st_mode) == 0o644


def test_a_replaced_report_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("old")
    path.chmod(0o640)
    save(a_report(), path)

    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_goes_on_pointing_at_the_report(tmp_path: Path) -> None:
    (tmp_path / "latest.json").symlink_to(tmp_path / "report.json")
    save(a_report(), tmp_path / "latest.json")

    assert (tmp_path / "latest.json").is_symlink()
    assert load(tmp_path / "report.json") == a_report()


def test_a_write_that_fails_leaves_the_old_report_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.json"
    path.write_text("old")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(PrerequisiteError, match=r"report\.json.*No space left"):
        save(a_report(), path)

    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_short_write_is_carried_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda to, data: write(to, data[:1000]))
    save(a_report(), tmp_path / "report.json")

    assert load(tmp_path / "report.json") == a_report()


def test_a_report_never_takes_the_place_of_a_folder_or_a_device(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not an ordinary file"):
        save(a_report(), tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="not an ordinary file"):
        save(a_report(), tmp_path / "pipe")


def test_a_number_that_is_not_finite_is_never_written() -> None:
    configuration = a_configuration()
    broken = configuration.model_copy(update={"metrics": {"mrr": float("nan")}})

    with pytest.raises(ValueError, match="Out of range float"):
        to_json(a_report().model_copy(update={"configurations": (broken,)}))


def test_the_file_ends_in_a_newline_and_names_its_format_first() -> None:
    lines = to_json(a_report()).decode().splitlines(keepends=True)

    assert lines[1:3] == ['  "format": "harness-report",\n', '  "version": 1,\n']
    assert lines[-1] == "}\n"


def changed(change: Callable[[dict[str, object]], object]) -> bytes:
    """Change the fields of a report's file, which no model would allow."""
    fields = json.loads(to_json(a_report()))
    change(fields)
    return json.dumps(fields).encode()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not a JSON file"),
        (to_json(a_report())[:-40], "not a JSON file"),
        (b'{"name": "\xff"}', "not a JSON file: 'utf-8' codec"),
        (b"[1, 2]", "a JSON list, not an object"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not a JSON file"),
        (b'{"a": 1, "b": 2, "a": 3}', "the key 'a' occurs twice"),
        (b'{"mrr": NaN}', "NaN is not a number"),
        (b'{"mrr": -Infinity}', "-Infinity is not a number"),
        (b"{}", 'not a report: it has no "format": "harness-report"'),
        (b'{"format": "x"}', "its format is 'x', not 'harness-report'"),
        (b'{"format": "harness-baseline"}', "its format is 'harness-baseline'"),
        (
            b'{"schema_version": 1, "memcastle_version": "0.3.0"}',
            "MemCastle's own, which only `compare` reads",
        ),
        (
            b'{"format": "harness-report", "version": 2}',
            r"written by a newer harness: report version 2; .*\n  Update the harness",
        ),
        (b'{"format": "harness-report", "version": "1"}', "version '1' does not"),
        (b'{"format": "harness-report", "version": true}', "version True does not"),
        (b'{"format": "harness-report", "version": 0}', "version 0 does not"),
        (b'{"format": "harness-report"}', "version None does not exist"),
        (
            changed(lambda fields: fields.pop("phases")),
            "not a whole report: phases: field required",
        ),
        (
            changed(lambda fields: fields.update(extra=1)),
            "extra: extra inputs are not permitted, found 1",
        ),
        (
            changed(lambda fields: fields.update(created_at=5)),
            "created_at: input should be a valid string, found 5",
        ),
    ],
    ids=range(21),
)
def test_a_file_that_is_no_report_is_named_with_what_is_wrong(
    content: bytes, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content)

    with pytest.raises(ReportFormatError, match=words) as caught:
        load(path)
    assert caught.value.where == str(path)


@pytest.mark.parametrize("value", ["1e999", '"0.5"', "true", "null"])
def test_a_metric_that_is_no_finite_number_is_refused(
    value: str, tmp_path: Path
) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(
        to_json(a_report()).replace(b'"mrr": 0.8', b'"mrr": ' + value.encode())
    )

    with pytest.raises(ReportFormatError, match=r"configurations\.0\.metrics\.mrr: "):
        load(path)


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(ReportFormatError, match=r"none\.json: cannot be read: No such"):
        load(tmp_path / "none.json")
    with pytest.raises(ReportFormatError, match="cannot be read: Is a directory"):
        load(tmp_path)


def test_what_is_no_regular_file_is_refused_without_being_opened(
    tmp_path: Path,
) -> None:
    # Opening a pipe that nobody writes to would never return.
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    link = tmp_path / "link"
    link.symlink_to(pipe)
    for path in (pipe, link, Path("/dev/zero")):
        with pytest.raises(ReportFormatError, match="not a regular file") as caught:
            load(path)
        assert caught.value.where == str(path)


def test_a_file_beyond_the_cap_is_refused_before_it_is_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 1024 * 1024)
    path = tmp_path / "huge.json"
    path.write_bytes(b" " * (1024 * 1024 + 1))

    with pytest.raises(ReportFormatError, match="larger than the 1 MiB"):
        load(path)


def test_a_field_added_with_a_default_may_be_missing(tmp_path: Path) -> None:
    fields = json.loads(to_json(a_report()))
    del fields["parameters"]["skipped_queries"]
    (tmp_path / "report.json").write_text(json.dumps(fields))

    assert load(tmp_path / "report.json") == a_report()


def test_an_unknown_commit_is_kept_as_null(tmp_path: Path) -> None:
    report = a_report(harness=HarnessFacts(version="0.1.0", commit=None))
    save(report, tmp_path / "report.json")

    assert load(tmp_path / "report.json").harness.commit is None
