"""Events on standard error, one JSON object a line: no key, no text."""

from __future__ import annotations

import logging
import sys
import traceback

import structlog


def set_up_logs() -> None:
    """Send this service's events, and the warnings of its libraries, to stderr."""
    shared: list[structlog.types.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
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
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("embedder").setLevel(logging.INFO)


def brief(problem: BaseException) -> dict[str, object]:
    """Return an exception's type and places.

    Its words are left out: those of a library may hold a request, and with it the key.
    """
    frames = traceback.extract_tb(problem.__traceback__)
    return {
        "type": type(problem).__name__,
        "frames": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    }
