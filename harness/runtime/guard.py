"""Start one program that must not outlive the harness.

Run by path as a script, never imported by the package: it stands between the harness
and a child process because only a fresh, single-threaded process can change its
account and tie its life to its parent's without races. Standard library only.

    guard.py TIE SIGNAL UID GID PROGRAM ARGUMENT...

TIE is ``parent:PID`` (Linux: the kernel sends SIGNAL when the parent's starting
thread ends, and this process becomes the program) or ``pipe:FD`` (anywhere: this
process stays, and sends SIGNAL once the other end of the pipe is closed). UID and GID
are ``-`` to stay who we are.
"""

import ctypes
import os
import signal
import sys
import threading
import time
from typing import NoReturn

PR_SET_PDEATHSIG = 1
CANNOT_START = 127
PATIENCE_S = 5.0
FORWARDED = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)


def main(arguments: list[str]) -> int:
    """Start the program; return only if it could not start, or was watched to its end.

    Args:
        arguments: What follows the script's name, see the module.
    """
    tie, death_signal, uid, gid, *command = arguments
    kind, _, number = tie.partition(":")
    try:
        if uid != "-":
            os.setgroups([])
            os.setgid(int(gid))
            os.setuid(int(uid))
        if kind == "parent":
            become(command, int(number), int(death_signal))
        return watch(command, int(number), int(death_signal))
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        return CANNOT_START


def become(command: list[str], parent: int, death_signal: int) -> NoReturn:
    """Turn into the program, to be signalled by the kernel when *parent* ends.

    Must follow the change of account, which clears the kernel's note.
    """
    if ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0) != 0:
        raise OSError(0, "prctl(PR_SET_PDEATHSIG) failed")
    if os.getppid() != parent:  # it ended before the kernel took the note
        sys.exit(CANNOT_START)
    os.execv(command[0], command)


def watch(command: list[str], pipe: int, death_signal: int) -> int:
    """Run the program as a child and end it when *pipe* closes at its far end."""
    os.set_inheritable(pipe, False)
    signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED)
    child = os.posix_spawn(command[0], command, os.environ, setsigmask=[])

    def forward(number: int, _frame: object) -> None:
        os.kill(child, number)

    def end_with_the_pipe() -> None:
        while os.read(pipe, 1):
            pass
        os.kill(child, death_signal)
        time.sleep(PATIENCE_S)
        os.kill(child, signal.SIGKILL)

    for number in FORWARDED:
        signal.signal(number, forward)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, FORWARDED)
    threading.Thread(target=end_with_the_pipe, daemon=True).start()
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
