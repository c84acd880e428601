"""Keep an endpoint busy with the next questions while somebody works on this one."""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import NamedTuple, Protocol, TypeVar

from harness.provider.embedder import Embedded

T = TypeVar("T")

AHEAD = 4
"""Items asked for before they are taken: enough that requests never run out at the end
of an item, few enough to hold in memory."""


class Texts(NamedTuple):
    """What of an item is to be embedded."""

    documents: Sequence[str]
    queries: Sequence[str] = ()


class Submits(Protocol):
    """Begins to embed texts; `harness.provider.embedder.EndpointEmbedder` does."""

    def submit(
        self, documents: Sequence[str], queries: Sequence[str] = ()
    ) -> Future[Embedded]:
        """Return at once what will be there."""
        ...


@contextmanager
def embedding_ahead(
    embedder: Submits,
    items: Iterable[T],
    texts_of: Callable[[T], Texts],
    *,
    ahead: int = AHEAD,
) -> Iterator[Iterator[tuple[T, Future[Embedded]]]]:
    """Embed the texts of *items* in the background, a bounded number ahead.

    However the block ends, an error or Ctrl-C included, what nobody will take any more
    is broken off.

    Args:
        embedder: Embeds, beside the caller.
        items: Read only as far as *ahead* allows, by whoever takes them.
        texts_of: What of an item is to be embedded; called once for each.
        ahead: Items that are asked for and not taken yet, 1 or more.

    Yields:
        The items in order, each with a future of its vectors; its ``result()`` waits,
        and raises what befell this item's texts.
    """
    waiting: deque[tuple[T, Future[Embedded]]] = deque()
    taken: list[Future[Embedded]] = []

    def in_order() -> Generator[tuple[T, Future[Embedded]]]:
        for item in items:
            texts = texts_of(item)
            waiting.append((item, embedder.submit(texts.documents, texts.queries)))
            if len(waiting) > ahead:
                taken[:] = [waiting[0][1]]
                yield waiting.popleft()
        while waiting:
            taken[:] = [waiting[0][1]]
            yield waiting.popleft()

    stream = in_order()
    try:
        yield stream
    finally:
        stream.close()
        for future in (*taken, *(future for _, future in waiting)):
            future.cancel()
