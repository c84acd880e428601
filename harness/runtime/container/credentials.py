"""Passwords of one run, handed over as files that exist only while they are read.

A variable would show in `docker inspect`, an argument in `docker top`. The files lie
in the run's own folder, which nobody else can enter; inside the containers they are
mounted read-only. Once both programs have read them they are removed.
"""

import secrets
import shutil
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = "/run/secrets"
"""Where containers find them, as Docker's own secrets do."""

PASSWORD_FILE = f"{FOLDER}/postgres-password"
DATABASE_FILE = f"{FOLDER}/database-url"
TOKEN_FILE = f"{FOLDER}/token"

ROLE = "postgres"
DATABASE = "postgres"
READABLE = 0o444
"""The container's user is nobody's here; the folder around the file is the lock."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """What lets one run in; drawn anew for each."""

    password: str = field(repr=False, default_factory=lambda: secrets.token_urlsafe(24))
    token: str = field(repr=False, default_factory=lambda: secrets.token_urlsafe(24))

    def database_url(self, host: str, port: int) -> str:
        """Write the connection URL, password included."""
        return f"postgresql://{ROLE}:{self.password}@{host}:{port}/{DATABASE}"

    def redact(self, text: str) -> str:
        """Take the secrets out of *text*, should a program ever have logged one."""
        return text.replace(self.password, "***").replace(self.token, "***")


class SecretFiles:
    """Files for containers to mount; call `remove` when they have been read.

    Args:
        folder: An existing folder that only its owner can enter.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "secrets"
        self._folder.mkdir(mode=0o700)

    def put(self, name: str, value: str) -> Path:
        """Write *value* into a new file, and give its path."""
        path = self._folder / name
        path.touch(mode=0o600, exist_ok=False)
        path.write_text(value, encoding="ascii")
        path.chmod(READABLE)
        return path

    def copy(self, name: str, source: Path) -> Path:
        """Copy *source*, no secret but perhaps closed to all but us, and give its path.

        Raises:
            OSError: *source* cannot be read, or the disk is full.
        """
        path = self._folder / name
        shutil.copyfile(source, path)
        path.chmod(READABLE)
        return path

    def remove(self) -> None:
        """Remove the files; a container that has them mounted keeps its own view."""
        for path in self._folder.iterdir():
            path.unlink()
