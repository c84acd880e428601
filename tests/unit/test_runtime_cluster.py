"""The kept template: used when whole, ignored when not, never half written."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.errors import PrerequisiteError
from harness.runtime.cluster import DATA, make_cluster, template_key

INITDB = """#!/bin/sh
for argument; do case $argument in --pgdata=*) data=${argument#--pgdata=};; esac; done
echo "run" >> "$(dirname "$0")/runs"
echo "$@" > "$data/arguments"
mkdir "$data/base"; echo rows > "$data/base/1"; mkdir "$data/empty"
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another account can walk into, as pytest's own is not."""
    folder = Path(tempfile.mkdtemp(prefix="harness-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def binaries(open_folder: Path) -> Path:
    """A folder of programs whose initdb counts how often it ran."""
    folder = open_folder / "bin"
    folder.mkdir()
    for name, text in (("initdb", INITDB), ("postgres", "#!/bin/sh\n")):
        (folder / name).write_text(text, encoding="ascii")
        (folder / name).chmod(0o755)
    return folder


def runs(binaries: Path) -> int:
    return len((binaries / "runs").read_text(encoding="ascii").splitlines())


def contents(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text(encoding="ascii")
        if path.is_file()
        else "/"
        for path in folder.rglob("*")
        if path.name != "arguments"
    }


WANTED = {"base": "/", "base/1": "rows\n", "empty": "/"}


def test_second_cluster_is_a_copy_of_the_first(
    open_folder: Path, binaries: Path
) -> None:
    cache = open_folder / "cache"
    first = make_cluster(open_folder / "one", binaries, None, cache)
    second = make_cluster(open_folder / "two", binaries, None, cache)
    assert (first, second) == (False, True)
    assert runs(binaries) == 1
    assert contents(open_folder / "one") == WANTED
    assert contents(open_folder / "two") == WANTED
    assert (open_folder / "two").stat().st_mode & 0o777 == 0o700
    assert [path.name for path in cache.iterdir()] == [template_key(binaries)]


def test_locale_does_not_come_from_the_environment(
    open_folder: Path, binaries: Path
) -> None:
    make_cluster(open_folder / "one", binaries, None, None)
    arguments = (open_folder / "one" / "arguments").read_text(encoding="ascii")
    assert "--locale-provider=builtin --builtin-locale=C.UTF-8 --locale=C" in arguments
    assert "--auth=reject" in arguments


def test_truncated_template_is_ignored(open_folder: Path, binaries: Path) -> None:
    cache = open_folder / "cache"
    make_cluster(open_folder / "one", binaries, None, cache)
    (cache / template_key(binaries) / DATA / "base" / "1").write_bytes(b"")
    assert not make_cluster(open_folder / "two", binaries, None, cache)
    assert contents(open_folder / "two") == WANTED


def test_broken_template_is_renewed(open_folder: Path, binaries: Path) -> None:
    cache = open_folder / "cache"
    make_cluster(open_folder / "one", binaries, None, cache)
    (cache / template_key(binaries) / DATA / "base" / "1").unlink()
    make_cluster(open_folder / "two", binaries, None, cache)
    assert make_cluster(open_folder / "three", binaries, None, cache)
    assert contents(open_folder / "three") == WANTED


def test_other_programs_get_their_own_template(
    open_folder: Path, binaries: Path
) -> None:
    cache = open_folder / "cache"
    make_cluster(open_folder / "one", binaries, None, cache)
    (binaries / "postgres").write_text("#!/bin/sh\n# newer\n", encoding="ascii")
    assert not make_cluster(open_folder / "two", binaries, None, cache)


def test_template_is_kept_while_it_is_used(open_folder: Path, binaries: Path) -> None:
    cache = open_folder / "cache"
    make_cluster(open_folder / "one", binaries, None, cache)
    template = cache / template_key(binaries)
    unused = cache / "unused"
    unused.mkdir()
    for path in (template, unused):
        os.utime(path, (0, 0))
    make_cluster(open_folder / "two", binaries, None, cache)
    (binaries / "postgres").write_text("#!/bin/sh\n# newer\n", encoding="ascii")
    make_cluster(open_folder / "three", binaries, None, cache)
    assert (template.exists(), unused.exists()) == (True, False)


def test_cache_that_cannot_be_written_only_costs_time(
    open_folder: Path, binaries: Path
) -> None:
    in_the_way = open_folder / "cache"
    in_the_way.write_text("a file", encoding="ascii")
    for name in ("one", "two"):
        assert not make_cluster(open_folder / name, binaries, None, in_the_way)
    assert runs(binaries) == 2


def test_failing_initdb_shows_its_last_lines(open_folder: Path, binaries: Path) -> None:
    script = "#!/bin/sh\necho 'no space on device' >&2\nexit 1\n"
    (binaries / "initdb").write_text(script, encoding="ascii")
    with pytest.raises(PrerequisiteError) as caught:
        make_cluster(open_folder / "one", binaries, None, open_folder / "cache")
    assert "exit code 1" in caught.value.what
    assert "no space on device" in caught.value.what
    assert not (open_folder / "cache").exists()
