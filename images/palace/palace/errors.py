"""Everything a caller can be told went wrong, each with its status and code.

PalaceError
├── InvalidInput            400  memcastle::input::invalid
├── SemanticUnavailable     400  memcastle::search::semantic_unavailable
├── EmbeddingNotConfigured  400  memcastle::embed::not_configured
├── EmptyLabel              400  memcastle::graph::empty_label
├── Unauthorized            401  memcastle::auth::unauthorized
├── ModeForbidden           403  memcastle::mode::forbidden
├── NotFound                404  memcastle::palace::<what>_not_found
├── RouteNotFound           404  memcastle::http::not_found
├── MethodNotAllowed        405  memcastle::http::method_not_allowed
├── DrawerSuperseded        409  memcastle::palace::drawer_superseded
├── DrawerNameTaken         409  memcastle::palace::drawer_name_taken
├── TooLarge                413  memcastle::input::too_large
├── Internal                500  memcastle::internal
├── EmbeddingFailed         502  memcastle::embed::<failure>, 503 for a passing one
└── StoreUnavailable        503  memcastle::store::unavailable

The codes are MemCastle's, so that one client reads both daemons.
"""

from __future__ import annotations


class PalaceError(Exception):
    """A refusal with everything its JSON body says.

    Args:
        message: What went wrong, with the offending value by repr where there is one.
    """

    status = 500
    code = "memcastle::internal"
    help = "This is a fault of the daemon; its log has the details."

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def body(self) -> dict[str, str]:
        """Return the JSON error body."""
        return {"error": self.message, "code": self.code, "help": self.help}


class InvalidInput(PalaceError):
    """A field of the request cannot be used.

    Args:
        field: The field as the caller spelt it; `body` when nothing could be parsed.
        reason: What is wrong with it.
    """

    status = 400
    code = "memcastle::input::invalid"

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"invalid {field}: {reason}")
        self.field = field
        self.help = f"Correct `{field}` and send the request again."


class SemanticUnavailable(PalaceError):
    """A semantic ranking was asked for, and no vector for the query can be had."""

    status = 400
    code = "memcastle::search::semantic_unavailable"
    help = "Send `query_embedding`, configure a provider, or use ranking `auto`."

    def __init__(self, reason: str = "no embedding provider is configured") -> None:
        super().__init__(f"semantic search needs a query vector: {reason}")


class EmbeddingNotConfigured(PalaceError):
    """An embed job was asked for without a provider."""

    status = 400
    code = "memcastle::embed::not_configured"
    help = "Set PALACE_EMBEDDINGS_URL and PALACE_EMBEDDINGS_MODEL and restart."

    def __init__(self) -> None:
        super().__init__("no embedding provider is configured")


class EmptyLabel(PalaceError):
    """An entity was mentioned without a name or without a kind."""

    status = 400
    code = "memcastle::graph::empty_label"
    help = "Give a name and a kind that are not blank."

    def __init__(self, field: str) -> None:
        super().__init__(f"an entity needs a {field}, got a blank one")


class Unauthorized(PalaceError):
    """The bearer token is missing or wrong."""

    status = 401
    code = "memcastle::auth::unauthorized"
    help = "Send `Authorization: Bearer <token>` with the daemon's token."

    def __init__(self) -> None:
        super().__init__("a valid bearer token is required")


class ModeForbidden(PalaceError):
    """The caller's own mode header rules the request out."""

    status = 403
    code = "memcastle::mode::forbidden"
    help = "Leave the X-MemCastle-Mode header out, or send `full`."

    def __init__(self, mode: str, method: str) -> None:
        super().__init__(f"{method} is not allowed in mode {mode!r}")


class NotFound(PalaceError):
    """Something named in the path does not exist.

    Args:
        what: `drawer`, `document`, `fact`, `wing`, `room`, `entity` or `job`.
        name: The id or name that was asked for.
    """

    status = 404

    def __init__(self, what: str, name: str) -> None:
        super().__init__(f"no {what} {name!r}")
        space = {"entity": "graph", "job": "jobs"}.get(what, "palace")
        self.code = f"memcastle::{space}::{what}_not_found"
        self.help = f"Check the {what}'s id or name."


class RouteNotFound(PalaceError):
    """No route has this path."""

    status = 404
    code = "memcastle::http::not_found"
    help = "The paths that exist are listed in /api/openapi.json."

    def __init__(self, path: str) -> None:
        super().__init__(f"no such path {path!r}")


class MethodNotAllowed(PalaceError):
    """The path exists, and not for this method."""

    status = 405
    code = "memcastle::http::method_not_allowed"
    help = "The methods of each path are listed in /api/openapi.json."

    def __init__(self, method: str, path: str) -> None:
        super().__init__(f"{method} is not allowed on {path!r}")


class DrawerSuperseded(PalaceError):
    """The drawer has been replaced or closed already."""

    status = 409
    code = "memcastle::palace::drawer_superseded"
    help = "Read the drawer's history and supersede its current version."

    def __init__(self, drawer: str) -> None:
        super().__init__(f"drawer {drawer!r} is superseded already")


class DrawerNameTaken(PalaceError):
    """A current drawer of this room has the name already."""

    status = 409
    code = "memcastle::palace::drawer_name_taken"
    help = "Choose another name, or supersede the drawer that has it."

    def __init__(self, name: str) -> None:
        super().__init__(f"the room has a current drawer named {name!r} already")


class TooLarge(PalaceError):
    """The request body is over the cap."""

    status = 413
    code = "memcastle::input::too_large"
    help = "Send less in one request."

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(f"the request body is over {limit_bytes} bytes")


class Internal(PalaceError):
    """Something failed that should not have; the log has the traceback."""

    def __init__(self) -> None:
        super().__init__("the daemon failed while answering")


class EmbeddingFailed(PalaceError):
    """The embedding provider failed, or answered with something unusable.

    The status is 503 when it may work a little later: the provider is away, slow or
    asked too often.

    Args:
        code: One of the codes of `palace.provider.failures`.
        message: What the provider did, without its key or the texts sent.
        remedy: What to do about it, where not the usual.
    """

    status = 502
    help = "Check the embedding provider; ranking `lexical` works without it."

    def __init__(self, code: str, message: str, remedy: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        if code.rpartition("::")[2] in ("unreachable", "timeout", "rate_limited"):
            self.status = 503
        if remedy is not None:
            self.help = remedy


class StoreUnavailable(PalaceError):
    """Postgres cannot be reached right now."""

    status = 503
    code = "memcastle::store::unavailable"
    help = "Try again; the daemon reconnects by itself once Postgres is back."

    def __init__(self, reason: str) -> None:
        super().__init__(f"the store is unavailable: {reason}")


class StartupError(Exception):
    """The daemon cannot start; the message says what to do. Never sent to a caller."""
