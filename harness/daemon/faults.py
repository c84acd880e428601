"""One clear sentence, and a remedy, for every way an answer can fail us."""

from http import HTTPStatus

import orjson
from pydantic import ValidationError

from harness.daemon.wire import ErrorBody
from harness.errors import DaemonError, DaemonProtocolError, UsageError

SHOWN = 160
"""Characters of a foreign text that a message repeats."""

LOOK_AT_LOG = "Look at the daemon's log; nothing was retried and no report was written."
NOT_THE_CONTRACT = (
    "Is this a memory daemon of the contract? `docs/contract.md` lists what it must "
    "answer."
)


def shortened(text: str) -> str:
    """Make a foreign text fit into one line of a message, and say nothing more."""
    line = "".join(
        letter if letter.isprintable() else "\ufffd"
        for letter in " ".join(text[: 8 * SHOWN].split())
    )
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 3]}..."


def refused(call: str, status: int, body: bytes, *, where: str) -> DaemonError:
    """Make the error for an answer that is not a success.

    A status of 500 and above is the daemon's own fault; one below says that daemon
    and harness do not mean the same contract.
    """
    reason = _reason(body)
    what = f"{call} answered {status}{f' ({reason})' if reason else ''}."
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return DaemonError(
            what, where=where, remedy="Give the daemon's token, and one that may write."
        )
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return DaemonError(what, where=where, remedy=LOOK_AT_LOG)
    return DaemonProtocolError(what, where=where, remedy=NOT_THE_CONTRACT)


def _reason(body: bytes) -> str:
    """Find the daemon's own words: its code and message, else the text it sent."""
    try:
        told = ErrorBody.model_validate(orjson.loads(body))
    except (orjson.JSONDecodeError, ValidationError):
        return shortened(body.decode(errors="replace"))
    return shortened(": ".join(part for part in (told.code, told.error) if part))


def not_json(call: str, status: int, body: bytes, *, where: str) -> DaemonError:
    """Make the error for a success whose body cannot be read."""
    if not body.strip():
        found = "with an empty body"
    else:
        found = f"with {shortened(body[:SHOWN].decode(errors='replace'))!r}"
    return DaemonProtocolError(
        f"{call} answered {status} {found}, which is not JSON.",
        where=where,
        remedy=NOT_THE_CONTRACT,
    )


def wrong_shape(call: str, error: ValidationError, *, where: str) -> DaemonError:
    """Make the error for a JSON body that lacks what the contract promises."""
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"]) or "the whole body"
    return DaemonProtocolError(
        f"{call} answered JSON of another shape: {place}: {first['msg']}, "
        f"found {shortened(repr(first['input']))}.",
        where=where,
        remedy=NOT_THE_CONTRACT,
    )


def unreachable(call: str, error: Exception, *, where: str) -> DaemonError:
    """Make the error for a request that could not be handed over."""
    return DaemonError(
        f"{call} found nobody listening ({shortened(str(error))}).",
        where=where,
        remedy="Is the daemon running, and is this its address?",
    )


def cut_off(call: str, error: Exception, *, where: str) -> DaemonError:
    """Make the error for a connection that ended before the answer did."""
    return DaemonError(
        f"{call} got no whole answer: the connection ended "
        f"({shortened(str(error)) or type(error).__name__}).",
        where=where,
        remedy=LOOK_AT_LOG,
    )


def unreadable(call: str, error: Exception, *, where: str) -> DaemonError:
    """Make the error for an exchange that came to its end and cannot be understood."""
    return DaemonProtocolError(
        f"{call} cannot be understood ({type(error).__name__}: "
        f"{shortened(str(error))}).",
        where=where,
        remedy=NOT_THE_CONTRACT,
    )


def too_slow(call: str, timeout_s: float, *, where: str) -> DaemonError:
    """Make the error for an answer that did not come in time."""
    return DaemonError(
        f"{call} was not answered within {timeout_s:g} s.",
        where=where,
        remedy=f"{LOOK_AT_LOG} Is the machine overloaded?",
    )


def too_large(call: str, limit_bytes: int, *, where: str) -> DaemonError:
    """Make the error for an answer that does not end."""
    return DaemonProtocolError(
        f"{call} answered more than {limit_bytes // 2**20} MiB.",
        where=where,
        remedy=NOT_THE_CONTRACT,
    )


def unusable_url(url: str) -> UsageError:
    """Make the error for an address no request can be sent to."""
    return UsageError(
        f"{url!r} is no address of a daemon.",
        remedy="Give one such as http://127.0.0.1:8420.",
    )
