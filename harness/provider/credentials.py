"""Where the vectors come from, and the key that may ask for them.

The key comes from the environment or from a file, never from the command line. It is
wrapped before anything can fail with it in sight: it is in no repr, message or pickle,
and in no local variable of a frame that a traceback could show.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import httpx

from harness.errors import PrerequisiteError, UsageError

URL = "EVAL_EMBEDDINGS_URL"
MODEL = "EVAL_EMBEDDINGS_MODEL"
KEY = "EVAL_EMBEDDINGS_API_KEY"
KEY_FILE = "EVAL_EMBEDDINGS_API_KEY_FILE"
DIMENSION = "EVAL_EMBEDDINGS_DIMENSION"

ADDRESS_REMEDY = (
    f"It is the base address alone, as in https://host/v1; the key belongs into {KEY} "
    f"or a file that {KEY_FILE} names."
)

HIDDEN = "***"
LARGEST_DIMENSION = 100_000


class ApiKey:
    """A key that shows itself to nobody but the endpoint.

    Making one never fails, so that no frame with the bare text is ever in a traceback;
    `check` says whether it can be used.

    Args:
        text: The key; white space around it does not belong to it.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text.strip()

    def __repr__(self) -> str:
        return f"ApiKey({HIDDEN!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key does not travel: read it anew on the other machine")

    def check(self, source: str) -> None:
        """Make sure that a request can carry it.

        Args:
            source: The variable or file it came from, for the message.

        Raises:
            UsageError: It is empty, or has a blank, an accent or a control character.
        """
        if not self._text:
            what = "holds no key"
        elif not (self._text.isascii() and self._text.isprintable()):
            what = "holds a character that no header can carry"
        elif " " in self._text:
            what = "holds a blank inside the key"
        else:
            return
        raise UsageError(
            f"{source} {what}.", remedy="It must hold the key alone, on one line."
        )

    def redact(self, text: str) -> str:
        """Take the key out of *text*, should the endpoint repeat it."""
        return text.replace(self._text, HIDDEN) if self._text else text

    def bearer(self) -> httpx.Auth:
        """Return what puts the key into a request while it is being sent."""
        return _Bearer(self)

    def sign(self, request: httpx.Request) -> None:
        """Put the key into the headers of *request*."""
        request.headers["Authorization"] = f"Bearer {self._text}"


class _Bearer(httpx.Auth):
    def __init__(self, key: ApiKey) -> None:
        self._key = key

    def auth_flow(
        self, request: httpx.Request
    ) -> Generator[httpx.Request, httpx.Response, None]:
        self._key.sign(request)
        yield request


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An embeddings endpoint and the model to ask of it; its repr may be shown.

    Attributes:
        url: Base address without a trailing slash, as in ``https://host/v1``.
        model: The endpoint's name for the model.
        dimension: Length its vectors must have; None takes what it answers.
        key: Sent as a bearer token; None where the endpoint wants none.
    """

    url: str
    model: str
    dimension: int | None = None
    key: ApiKey | None = None

    @property
    def identity(self) -> str:
        """Host, port and path: what tells this endpoint from others in a cache."""
        url = httpx.URL(self.url)
        return f"{url.netloc.decode('ascii')}{url.path.rstrip('/')}"


def read_endpoint(environ: Mapping[str, str]) -> Endpoint | None:
    """Read the ``EVAL_EMBEDDINGS_*`` variables; empty ones count as unset.

    Returns:
        The endpoint, or None when no address is set.

    Raises:
        UsageError: An address without a model, an address or dimension that cannot be
            used, a key given twice, or a key no header can carry.
        PrerequisiteError: The key's file cannot be read.
    """
    url, problem = _usable_url(environ.get(URL, ""))
    model = environ.get(MODEL, "")
    dimension = environ.get(DIMENSION, "")
    key_file = environ.get(KEY_FILE, "")
    key = ApiKey(environ[KEY]) if environ.get(KEY) else None
    # From here on something may be raised, and the environment shows the key.
    del environ
    if problem:
        raise UsageError(f"{URL} {problem}.", remedy=ADDRESS_REMEDY)
    if not url:
        return None
    if not model:
        raise UsageError(
            f"{URL} is set and {MODEL} is not.",
            remedy=f"Set {MODEL} to the endpoint's name for the model.",
        )
    return Endpoint(
        url=url,
        model=model,
        dimension=_checked_dimension(dimension) if dimension else None,
        key=_checked_key(key, key_file),
    )


def _usable_url(url: str) -> tuple[str, str]:
    """Return the base address, or else what is wrong with it.

    Nothing is raised here, and a bad address is not repeated: whoever wrote a password
    into it would read it in a log.
    """
    try:
        parsed = httpx.URL(url.strip())
    except (httpx.InvalidURL, ValueError):
        return "", "is no address"
    problem = ""
    if url.strip() and not (parsed.scheme in {"http", "https"} and parsed.host):
        problem = "is no http:// or https:// address"
    elif parsed.userinfo:
        problem = "holds a user name or password"
    elif parsed.query or parsed.fragment:
        problem = "holds a query or a fragment"
    usable = str(parsed).rstrip("/").removesuffix("/embeddings")
    return ("", problem) if problem else (usable, "")


def _checked_dimension(text: str) -> int:
    digits = text.strip()
    if digits.isascii() and digits.isdigit() and len(digits) <= 6:
        number = int(digits)
        if 1 <= number <= LARGEST_DIMENSION:
            return number
    raise UsageError(
        f"{DIMENSION}: {text!r} is not a whole number from 1 to {LARGEST_DIMENSION}.",
        remedy=f"Unset {DIMENSION}; the endpoint is asked for it anyway.",
    )


def _checked_key(key: ApiKey | None, key_file: str) -> ApiKey | None:
    if key is not None and key_file:
        raise UsageError(
            f"{KEY} and {KEY_FILE} are both set.", remedy="Unset one of them."
        )
    source = KEY
    if key_file:
        source = f"the file that {KEY_FILE} names, {key_file!r},"
        key = _key_from(Path(key_file))
    if key is not None:
        key.check(source)
    return key


def _key_from(path: Path) -> ApiKey:
    try:
        # As Latin-1 every file can be read; `check` finds what is no key.
        return ApiKey(path.read_bytes().decode("latin-1"))
    except OSError as error:
        raise PrerequisiteError(
            f"{str(path)!r} cannot be read ({error.strerror}).",
            where=KEY_FILE,
            remedy=f"Name a file that holds the key, or use {KEY}.",
        ) from None
