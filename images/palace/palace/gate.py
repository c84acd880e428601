"""What every request passes: the token, the mode header, and the last safety net."""

from __future__ import annotations

import hmac

import structlog
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from palace.errors import (
    Internal,
    InvalidInput,
    ModeForbidden,
    PalaceError,
    Unauthorized,
)
from palace.routes.replies import refusal

_LOG = structlog.get_logger(__name__)

_HEALTH = "/api/health"
_READS = frozenset({"GET", "HEAD", "OPTIONS"})
# A search is a POST for the sake of its body, and changes nothing.
_READING_POSTS = frozenset(
    {
        "/api/search",
        "/api/documents/search",
        "/api/fragments/search",
        "/api/fragments/rank",
        "/api/facts/search",
    }
)
_MODES = ("full", "read_only", "disabled")


class Gate:
    """Refuse what may not pass, and answer JSON when anything fails behind it.

    Args:
        app: What is behind the gate.
        token: What a caller must bear, or None to let everyone pass.
    """

    def __init__(self, app: ASGIApp, *, token: str | None) -> None:
        self._app = app
        self._token = None if token is None else token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_begun = False

        async def watched_send(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            self._check(scope)
            await self._app(scope, receive, watched_send)
        except PalaceError as problem:
            await refusal(problem)(scope, receive, send)
        except ClientDisconnect:
            _LOG.info("caller_left", method=scope["method"], path=scope["path"])
        except Exception:
            # The net below every route: a caller gets JSON, the log the traceback.
            _LOG.exception("request_failed", method=scope["method"], path=scope["path"])
            if has_begun:
                raise
            await refusal(Internal())(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        if scope["path"] == _HEALTH:
            return
        headers = Headers(scope=scope)
        if self._token is not None:
            given = headers.get("authorization", "").encode("latin-1")
            scheme, _, token = given.partition(b" ")
            is_right = hmac.compare_digest(token.strip(), self._token)
            if scheme.lower() != b"bearer" or not is_right:
                raise Unauthorized
        mode = headers.get("x-memcastle-mode", "full")
        if mode not in _MODES:
            raise InvalidInput("X-MemCastle-Mode", f"{mode!r} is not one of {_MODES}")
        is_read = scope["method"] in _READS or scope["path"] in _READING_POSTS
        if mode == "disabled" or (mode == "read_only" and not is_read):
            raise ModeForbidden(mode, scope["method"])
