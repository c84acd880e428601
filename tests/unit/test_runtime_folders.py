"""Run folders: private, gone at the end, and swept only when their owner is dead."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.errors import PrerequisiteError
from harness.runtime.folders import OWNER_FILE, PREFIX, UNCLAIMED_S, run_folder, sweep

NOBODY = 65534


def abandoned(parent: Path, *, name: str = "dead") -> Path:
    """Make a folder as a process leaves it that was killed."""
    folder = parent / f"{PREFIX}{name}"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "base").write_bytes(b"rows")
    (folder / OWNER_FILE).write_text("{}", encoding="ascii")
    return folder


def test_folder_is_private_and_gone_at_the_end(tmp_path: Path) -> None:
    with run_folder(tmp_path) as folder:
        assert folder.parent == tmp_path
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "data").mkdir()
        (folder / "data" / "file").write_text("rows", encoding="ascii")
    assert list(tmp_path.iterdir()) == []


def test_folder_is_gone_after_an_exception(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), run_folder(tmp_path):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_missing_parent_is_named_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError) as caught, run_folder(tmp_path / "nowhere"):
        pass
    assert "nowhere" in caught.value.what
    assert "TMPDIR" in caught.value.remedy


def test_folder_of_a_dead_owner_is_swept(tmp_path: Path) -> None:
    folder = abandoned(tmp_path)
    assert sweep(tmp_path) == [folder]
    assert not folder.exists()


def test_the_next_start_sweeps(tmp_path: Path) -> None:
    dead = abandoned(tmp_path)
    with run_folder(tmp_path) as folder:
        assert list(tmp_path.iterdir()) == [folder]
        assert not dead.exists()


def test_folder_that_was_not_removed_whole_is_swept_by_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A Postgres that is still there writes into the folder as it is removed.
    original = shutil.rmtree

    def written_to(path: str | Path, *, ignore_errors: bool = False) -> None:
        original(path, ignore_errors=ignore_errors)
        if Path(path).name == "data":
            Path(path).mkdir()

    with run_folder(tmp_path) as folder:
        (folder / "data").mkdir()
        monkeypatch.setattr(shutil, "rmtree", written_to)
    assert folder.is_dir()
    monkeypatch.undo()
    assert sweep(tmp_path) == [folder]


CLEARING_UP = """
import sys, time
from pathlib import Path
from harness.runtime.folders import run_folder
from harness.runtime.signals import unwinding
try:
    with unwinding(), run_folder(Path(sys.argv[1])) as folder:
        for number in range(3000):
            (folder / str(number)).mkdir()
        print(flush=True)
        try:
            time.sleep(60)
        finally:
            time.sleep(0.1)
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_folder_is_gone_however_often_somebody_interrupts(tmp_path: Path) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", CLEARING_UP, str(tmp_path)], stdout=subprocess.PIPE
    )
    assert owner.stdout is not None
    with owner.stdout:
        owner.stdout.readline()
    while owner.poll() is None:
        owner.send_signal(signal.SIGINT)
        time.sleep(0.01)
    assert list(tmp_path.iterdir()) == []


def test_chosen_temporary_folder_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with run_folder() as folder:
        assert folder.parent == tmp_path


@pytest.mark.parametrize("variable", ["TMPDIR", "TEMP", "TMP"])
@pytest.mark.parametrize("chosen", ["nowhere", "a-file"])
def test_chosen_temporary_folder_is_never_silently_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, chosen: str
) -> None:
    (tmp_path / "a-file").touch()
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, str(tmp_path / chosen))
    with pytest.raises(PrerequisiteError) as caught, run_folder():
        pass
    assert f"{variable} is '{tmp_path / chosen}'" in caught.value.what
    assert "TMPDIR" in caught.value.remedy


def test_temporary_folder_that_may_not_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o500)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    before = os.geteuid()
    if before == 0:
        os.seteuid(NOBODY)  # root may write everywhere
    try:
        with pytest.raises(PrerequisiteError, match="TMPDIR is"), run_folder():
            pass
    finally:
        os.seteuid(before)


def test_folder_of_a_living_owner_stays(tmp_path: Path) -> None:
    with run_folder(tmp_path) as folder:
        assert sweep(tmp_path) == []
        assert folder.is_dir()


def test_folder_of_another_living_process_stays_until_it_is_killed(
    tmp_path: Path,
) -> None:
    script = (
        "import sys, time; from pathlib import Path\n"
        "from harness.runtime.folders import run_folder\n"
        "with run_folder(Path(sys.argv[1])) as folder:\n"
        "    print(folder, flush=True); time.sleep(60)\n"
    )
    owner = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout is not None
    with owner.stdout:
        folder = Path(owner.stdout.readline().strip())
    assert sweep(tmp_path) == []
    owner.kill()
    owner.wait()
    assert sweep(tmp_path) == [folder]


def test_folder_without_owner_file_is_left_alone_while_it_is_young(
    tmp_path: Path,
) -> None:
    folder = tmp_path / f"{PREFIX}young"
    folder.mkdir()
    assert sweep(tmp_path) == []
    old = time.time() - UNCLAIMED_S - 1
    os.utime(folder, (old, old))
    assert sweep(tmp_path) == [folder]


def test_links_files_and_other_names_are_left_alone(tmp_path: Path) -> None:
    elsewhere = abandoned(tmp_path / "elsewhere")
    (tmp_path / f"{PREFIX}link").symlink_to(elsewhere)
    (tmp_path / f"{PREFIX}file").write_text("mine", encoding="ascii")
    (tmp_path / "other").mkdir()
    assert sweep(tmp_path) == []
    assert (elsewhere / "data" / "base").read_bytes() == b"rows"


def test_links_inside_a_swept_folder_are_not_followed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("mine", encoding="ascii")
    (abandoned(tmp_path) / "link").symlink_to(kept)
    sweep(tmp_path)
    assert (kept / "file").read_text(encoding="ascii") == "mine"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make another's folder")
def test_folder_of_another_user_is_left_alone_even_by_root(tmp_path: Path) -> None:
    folder = abandoned(tmp_path)
    os.chown(folder, 65534, 65534)
    assert sweep(tmp_path) == []
    assert folder.is_dir()
