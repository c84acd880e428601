"""Which harness measured: its version, and the commit where it runs from a clone."""

import os
import subprocess
from pathlib import Path

import harness
from harness.report.model import HarnessFacts

CLONE = Path(harness.__file__).resolve().parents[1]
GIT_TIMEOUT_S = 5.0


def harness_facts(clone: Path = CLONE) -> HarnessFacts:
    """Name version and commit; an installed harness has no commit."""
    return HarnessFacts(version=harness.__version__, commit=_commit(clone))


def _commit(clone: Path) -> str | None:
    # A clone's own folder only: the harness may be installed inside another project.
    if not (clone / ".git").exists():
        return None
    commit = _git(clone, "rev-parse", "HEAD")
    changes = _git(clone, "status", "--porcelain")
    if not commit or changes is None:
        return None
    return f"{commit}+changes" if changes else commit


def _git(clone: Path, *words: str) -> str | None:
    """Run git on *clone* alone, whatever ``GIT_DIR`` and its like say."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("GIT_")
    }
    try:
        done = subprocess.run(
            ["git", "--no-optional-locks", "-C", str(clone), *words],
            env=environment,
            capture_output=True,
            text=True,
            timeout=GIT_TIMEOUT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
