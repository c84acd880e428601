"""The embedder beside a daemon: what it was asked, and which fault it shall show.

It is ours and not part of the contract. A measurement asks it from outside what a
daemon cannot be trusted to say of itself: whether a query reached it at all.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self

import httpx
import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from harness.daemon.documents_wire import Code, Whole
from harness.daemon.door import Door
from harness.daemon.timing import REAL_TIME, Instants, Time
from harness.daemon.wire import Told, Wire
from harness.errors import DaemonError, DaemonProtocolError

FaultKind = Literal[
    "ok",
    "error",
    "refuse",
    "slow",
    "timeout",
    "rate_limited",
    "wrong_dimension",
    "nan",
    "garbage",
    "half",
]

REMEDY = (
    "This is the embedder in images/embedder, not the daemon: its last lines say more."
)


class Fault(Wire):
    """What the embedder does to a request instead of answering it."""

    kind: Code
    delay_s: Told[float] = None
    retry_after_s: Told[float] = None
    times: Told[int] = None
    """Requests it still holds for; ``None``: until another is set."""


class EmbedderState(Wire):
    """What the embedder counted since it started, or since `EmbedderControl.reset`."""

    fault: Fault
    requests: Whole
    """Requests that reached the data port, whatever became of them."""
    inputs: Whole
    """Texts of the well-formed ones."""
    answered: Whole
    """Requests that got a response, of any status."""
    by_status: Mapping[str, Whole]
    """The answered ones, by status."""
    abandoned: Told[int] = None
    """Requests whose sender gave up first."""
    cut: Told[int] = None
    """Requests whose connection was closed without a response."""
    open: Told[int] = None
    """Requests that still wait for their end."""
    by_fault: Told[Mapping[str, int]] = None
    """The well-formed ones, by the fault they met; ``ok`` is among them."""
    models: Told[tuple[str, ...]] = None
    mode: Told[str] = None
    """``serve``, ``record`` or ``replay``."""


class _Vector(Wire):
    index: Whole
    embedding: list[float]


class _Vectors(Wire):
    data: list[_Vector]


_STATE = TypeAdapter(EmbedderState)
_VECTORS = TypeAdapter(_Vectors)
_ANYTHING = TypeAdapter[object](object)


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors of some texts, a row each in the texts' order, float32."""

    vectors: NDArray[np.float32]
    instants: Instants


class EmbedderControl:
    """Talk to one embedder, on both of its ports.

    Every method raises `DaemonError` where the embedder fails and its subclass
    `DaemonProtocolError` where its answer has another shape; nothing is retried.

    Args:
        control_url: Where it takes orders, without a path.
        url: Where it embeds: the base address that a daemon is given, ``/v1`` included.
        timeout_s: Most seconds a request may take.
        transport: Stands in for the network in tests.
        time: The clock every instant is read from.
    """

    def __init__(
        self,
        control_url: str,
        url: str,
        timeout_s: float = 30.0,
        *,
        transport: httpx.BaseTransport | None = None,
        time: Time = REAL_TIME,
    ) -> None:
        self._control = Door(
            control_url, timeout_s=timeout_s, transport=transport, time=time
        )
        self._data = Door(url, timeout_s=timeout_s, transport=transport, time=time)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._control.close()
        self._data.close()

    def health(self) -> Instants:
        """Call the cheapest route and return how long that took."""
        with _not_the_daemon():
            reply = self._control.send("GET", "/control/health")
            self._control.take(reply, _ANYTHING)
            return self._control.instants(reply)

    def state(self) -> EmbedderState:
        """Ask what was counted, and which fault is set."""
        with _not_the_daemon():
            reply = self._control.send("GET", "/control/state")
            return self._control.take(reply, _STATE)

    def reset(self) -> None:
        """Count from 0 again; a fault stays."""
        with _not_the_daemon():
            reply = self._control.send("POST", "/control/reset")
            self._control.must_succeed(reply)

    def set_fault(
        self,
        kind: FaultKind,
        *,
        delay_s: float | None = None,
        retry_after_s: float | None = None,
        times: int | None = None,
    ) -> None:
        """Show a fault to all requests from now on; ``ok`` ends it.

        Args:
            kind: What to do to them.
            delay_s: How late ``slow`` answers, and when ``timeout`` hangs up.
            retry_after_s: How long ``rate_limited`` asks to wait, in whole seconds.
            times: Requests after which all is well again; without it, none.
        """
        options = {"delay_s": delay_s, "retry_after_s": retry_after_s, "times": times}
        given = {name: value for name, value in options.items() if value is not None}
        with _not_the_daemon():
            reply = self._control.send("PUT", "/control/fault", {"kind": kind} | given)
            self._control.must_succeed(reply)

    def embed(
        self, texts: Sequence[str], *, model: str, dimension: int | None = None
    ) -> Embedded:
        """Embed *texts* as a daemon would; the request counts like any other.

        Raises:
            DaemonProtocolError: Not one row of equal length came back for each text.
        """
        body: dict[str, object] = {"model": model, "input": texts}
        if dimension is not None:
            body["dimensions"] = dimension
        with _not_the_daemon():
            reply = self._data.send("POST", "/embeddings", body)
            found = self._data.take(reply, _VECTORS).data
            instants = self._data.instants(reply)
            found.sort(key=lambda each: each.index)
            lengths = {len(each.embedding) for each in found}
            places = [each.index for each in found]
            if places != list(range(len(texts))) or len(lengths) != 1:
                raise DaemonProtocolError(
                    f"{reply.call} answered {len(found)} vectors of lengths "
                    f"{sorted(lengths)} to {len(texts)} texts: data.index and "
                    "data.embedding must give each text one, all of one length.",
                    where=self._data.url,
                )
        rows = [each.embedding for each in found]
        return Embedded(np.array(rows, dtype=np.float32), instants)


@contextmanager
def _not_the_daemon() -> Iterator[None]:
    """Send whoever reads an error to the embedder's log rather than the daemon's."""
    try:
        yield
    except DaemonError as error:
        error.remedy = REMEDY
        raise
