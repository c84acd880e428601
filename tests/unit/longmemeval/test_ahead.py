"""Work ahead of the daemon: in order, bounded, and gone when nobody takes it."""

import threading
import time
from collections.abc import Iterator

import pytest

from harness.errors import DatasetError
from harness.measure.longmemeval.ahead import READY, ahead


def test_items_come_in_order() -> None:
    with ahead(lambda: iter(range(100))) as items:
        assert list(items) == list(range(100))


def test_what_the_thread_raises_is_raised_to_the_taker() -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise DatasetError("line 2 is bad")

    with ahead(broken) as items:
        assert next(items) == 1
        with pytest.raises(DatasetError, match="line 2"):
            next(items)


def test_no_more_is_made_than_may_wait() -> None:
    made: list[int] = []

    def counted() -> Iterator[int]:
        for number in range(50):
            made.append(number)
            yield number

    with ahead(counted) as items:
        assert next(items) == 0
        time.sleep(0.2)  # time to run ahead in, for a reader that would
        # One was taken, two wait, and one is made and cannot be put down.
        assert len(made) <= 1 + READY + 1


def test_a_taker_who_leaves_ends_the_thread() -> None:
    before = threading.active_count()
    with ahead(lambda: iter(range(10**9))) as items:
        next(items)
    assert threading.active_count() == before
