"""Structured logs on standard error: one event a line, no secrets, no drawer's text."""

from __future__ import annotations

import logging
import sys
import traceback
from typing import Literal

import asyncpg
import structlog


def set_up_logs(style: Literal["json", "text"]) -> None:
    """Send this daemon's events, and the warnings of its libraries, to stderr."""
    shared: list[structlog.types.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]
    render: list[structlog.types.Processor]
    if style == "json":
        render = [
            _brief_exception,
            structlog.processors.JSONRenderer(),
        ]
    else:
        render = [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *render,
            ],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("palace").setLevel(logging.INFO)


def _brief_exception(
    _: object, __: str, event: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    """Write an exception as its type, its place and, where it is safe, its words.

    Local variables are left out, and of Postgres' errors everything but the primary
    message: they hold what callers sent.
    """
    info = event.pop("exc_info", None)
    problem = sys.exc_info()[1] if info is True else info[1] if info else None
    if isinstance(problem, BaseException):
        frames = traceback.extract_tb(problem.__traceback__)
        event["exception"] = {
            "type": type(problem).__name__,
            "message": _safe_words(problem),
            "frames": [f"{f.filename}:{f.lineno} {f.name}" for f in frames],
        }
    return event


def _safe_words(problem: BaseException) -> str | None:
    if isinstance(problem, asyncpg.DataError):
        return None
    if isinstance(problem, asyncpg.PostgresError):
        return str(problem.args[0]) if problem.args else None
    return str(problem)
