"""What an endpoint's status means: try again, cut smaller, or give up with advice."""

import re
from http import HTTPStatus

from harness.provider.answer import shortened
from harness.provider.credentials import DIMENSION, KEY, KEY_FILE, MODEL, URL
from harness.provider.failures import ProviderRefusedError
from harness.provider.patience import TransientError

# The words of llama.cpp, Ollama, OpenAI, text-embeddings-inference and vLLM.
_SIZE_WORDS = re.compile(
    r"context (?:length|size|window)|maximum (?:context|input|sequence|allowed|batch)"
    r"|too (?:long|large)|too many (?:inputs|texts|items|tokens)"
    r"|exceed\w* (?:the )?(?:available )?(?:context|max|limit)"
    r"|(?:max(?:imum)?[ _](?:\w+ )?|less than \d+ )tokens|batch size|token limit",
    re.IGNORECASE,
)
_NAN_WORDS = re.compile(r"\bNaN\b|unsupported value|not finite", re.IGNORECASE)
_SIZE_STATUSES = {
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.INTERNAL_SERVER_ERROR,  # llama.cpp's for what its batch cannot hold
}
_OUT_OF_CREDIT = "insufficient_quota"

_REMEDIES = {
    HTTPStatus.BAD_REQUEST: f"Look at {MODEL} and {DIMENSION}: does the endpoint "
    "know such a model, and can it make vectors of that length?",
    HTTPStatus.UNAUTHORIZED: f"Set {KEY}, or {KEY_FILE}, to a key that is valid there.",
    HTTPStatus.FORBIDDEN: f"The key in {KEY} or {KEY_FILE} may not use this model.",
    HTTPStatus.NOT_FOUND: f"Look at {URL}, which ends before /embeddings, and {MODEL}.",
    HTTPStatus.TOO_MANY_REQUESTS: "The account behind the key has no credit left.",
}
_KEY_STATUSES = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}


class TooLargeError(Exception):
    """The endpoint found a request, or the one text in it, too long."""


class NotFiniteError(Exception):
    """The endpoint failed on a number that is not finite, without saying whose."""


def failure(
    status: int, complaint: str, retry_after_s: float | None, *, where: str
) -> Exception:
    """Make the exception for an answer that is not a success.

    Args:
        status: As answered.
        complaint: The endpoint's own words, the key taken out.
        retry_after_s: What it asked for.
        where: The endpoint, for messages.
    """
    # Of a refused key, endpoints like to repeat a part.
    words = "" if status in _KEY_STATUSES else shortened(complaint)
    what = f"it answered {status}{f' ({words})' if words else ''}"
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return TooLargeError(what)
    if status in _SIZE_STATUSES and _SIZE_WORDS.search(complaint):
        return TooLargeError(what)
    if status >= 500 and _NAN_WORDS.search(complaint):
        return NotFiniteError(what)
    if status == HTTPStatus.TOO_MANY_REQUESTS and _OUT_OF_CREDIT not in complaint:
        return TransientError(what, retry_after_s, for_all=True)
    if status == HTTPStatus.REQUEST_TIMEOUT or status >= 500:
        return TransientError(what, retry_after_s)
    return ProviderRefusedError(
        f"{what[0].upper()}{what[1:]} to POST /embeddings.",
        where=where,
        remedy=_REMEDIES.get(
            HTTPStatus(status) if status in set(HTTPStatus) else HTTPStatus.OK,
            f"Is {URL} the base address of an OpenAI-compatible endpoint?",
        ),
    )
