"""What can go wrong: before it listens, and in the answer to a request."""

from __future__ import annotations

from typing import Final

INVALID_REQUEST: Final = "invalid_request_error"
SERVER_ERROR: Final = "server_error"


class StartupError(Exception):
    """A setting or a file that the service cannot start with; the text names it."""


class Refused(Exception):
    """A request that is answered with an error, in the shape OpenAI gives one.

    Args:
        status: HTTP status, 400 or more.
        message: For people; never the key, and never a text that was to be embedded.
        kind: The error's ``type``.
        param: The field of the request that is at fault, where one is.
        code: For programs.
        retry_after_s: Whole seconds for the ``Retry-After`` header.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: str = INVALID_REQUEST,
        param: str | None = None,
        code: str | None = None,
        retry_after_s: int | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.kind = kind
        self.param = param
        self.code = code
        self.retry_after_s = retry_after_s
