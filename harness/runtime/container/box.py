"""A container that was started: does it live, what did it say, where does it answer."""

from collections.abc import Callable
from typing import cast

import docker.errors
from docker.models.containers import Container
from pydantic import BaseModel, Field

from harness.errors import DaemonDiedError, PrerequisiteError
from harness.runtime.container.launch import LOOPBACK
from harness.runtime.endpoints import Endpoint
from harness.runtime.engine import engine_faults

LAST_LINES = 15
OUT_OF_MEMORY = "killed: it wanted more memory than its ceiling"


class _State(BaseModel):
    """The part of the engine's answer that tells how a container is."""

    running: bool = Field(alias="Running")
    pid: int = Field(alias="Pid", default=0)
    exit_code: int = Field(alias="ExitCode", default=0)
    out_of_memory: bool = Field(alias="OOMKilled", default=False)
    error: str = Field(alias="Error", default="")


class Box:
    """One running container.

    Args:
        title: How messages call it, at the start of a sentence.
        container: The engine's handle.
        endpoint: The engine it runs in.
        redact: Takes secrets out of what the container printed.
    """

    def __init__(
        self,
        title: str,
        container: Container,
        endpoint: Endpoint,
        redact: Callable[[str], str],
    ) -> None:
        self.title = title
        self._container = container
        self._endpoint = endpoint
        self._redact = redact

    @property
    def pid(self) -> int:
        """Id of its first process, as the engine's machine counts; 0 if it ended."""
        return self._state().pid

    def port(self, inner: int) -> int:
        """Say on which port of loopback the port *inner* is published.

        Raises:
            DaemonDiedError: It has ended, and so has no port any more.
            PrerequisiteError: It is published elsewhere, or not at all.
        """
        self._reload()
        found = self._container.ports.get(f"{inner}/tcp") or []
        if [entry["HostIp"] for entry in found] != [LOOPBACK]:
            ending = self.ending()
            if ending is not None:
                raise DaemonDiedError(
                    self.ended_early(ending),
                    remedy="The fault is its own; look at its last lines.",
                )
            raise PrerequisiteError(
                f"the engine published {self.title} at {found!r} instead of"
                f" {LOOPBACK}.",
                where=self._endpoint.url,
                remedy="Use --runtime embedded, and tell us which engine this is.",
            )
        return int(found[0]["HostPort"])

    def ending(self) -> str | None:
        """Say how it ended, or ``None`` while it runs."""
        try:
            state = self._state()
        except docker.errors.NotFound:
            return "its container was removed"
        if state.running:
            return None
        code = f"exit code {state.exit_code}"
        reason = OUT_OF_MEMORY if state.out_of_memory else state.error
        return f"{code}, {reason}" if reason else code

    def last_lines(self) -> str:
        """Read the end of what it printed; empty where nothing is left of it."""
        with engine_faults(self._endpoint, f"reading the log of {self.title}"):
            try:
                printed = self._container.logs(tail=LAST_LINES)
            except docker.errors.NotFound:
                return ""
        return self._redact(printed.decode(errors="replace").rstrip())

    def run(self, *command: str) -> tuple[int, str]:
        """Run *command* inside, as its own user; give the exit code and the output.

        Takes about a tenth of a second, and the container pays for it: not for use
        while anything is timed.
        """
        with engine_faults(self._endpoint, f"running a command in {self.title}"):
            code, output = self._container.exec_run(list(command))
        return int(code or 0), cast(bytes, output).decode(errors="replace")

    def ended_early(self, ending: str) -> str:
        """Say that it ended before anybody could use it, with its last lines."""
        return (
            f"{self.title} ended before it was ready ({ending}). Its last lines:\n"
            f"{self.last_lines()}"
        )

    def check(self) -> None:
        """Raise `DaemonDiedError` with the last log lines if it has ended."""
        ending = self.ending()
        if ending is not None:
            raise DaemonDiedError(
                f"{self.title} ended while it was needed ({ending}). Its last lines:\n"
                f"{self.last_lines()}",
                remedy="Run the same command again; its last lines say why it ended.",
            )

    def _state(self) -> _State:
        self._reload()
        return _State.model_validate(self._container.attrs["State"])

    def _reload(self) -> None:
        with engine_faults(self._endpoint, f"looking after {self.title}"):
            self._container.reload()
