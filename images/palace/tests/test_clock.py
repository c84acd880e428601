from __future__ import annotations

from datetime import UTC, datetime

import pytest

from palace.clock import Clock, parse_rfc3339_ns, rfc3339, to_datetime, to_microseconds


def test_stamps_rise_even_when_wall_time_stands_still_or_goes_back() -> None:
    times = iter([5_000_000, 5_000_000, 3_000_000, 9_000_000])
    clock = Clock(lambda: next(times))

    got = [clock.stamp() for _ in range(4)]

    assert got == [5000, 5001, 5002, 9000]


def test_stamps_come_after_what_the_store_holds() -> None:
    clock = Clock(lambda: 1_000_000)
    clock.not_before(7000)

    assert clock.stamp() == 7001


def test_microseconds_survive_the_way_through_a_datetime() -> None:
    # 2026-01-31T12:00:00.000001Z by `date -d ... +%s`.
    assert to_datetime(1_769_860_800_000_001) == datetime(
        2026, 1, 31, 12, 0, 0, 1, tzinfo=UTC
    )
    assert to_microseconds(to_datetime(1_769_860_800_000_001)) == 1_769_860_800_000_001


def test_instants_are_written_with_six_digits_and_a_z() -> None:
    assert rfc3339(datetime(2026, 1, 31, 12, tzinfo=UTC)) == (
        "2026-01-31T12:00:00.000000Z"
    )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:01.5Z", 1_500_000_000),
        ("1970-01-01T00:00:00.0000000019Z", 1),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1969-12-31T23:30:00-00:30", 0),
        ("1970-01-02", 86_400_000_000_000),
        ("1970-01-01t00:00:00z", 0),
    ],
)
def test_instants_are_read_in_nanoseconds(text: str, wanted: int) -> None:
    assert parse_rfc3339_ns(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2026-01-31T12:00:00",
        "2026-02-30T12:00:00Z",
        "2026-01-31T25:00:00Z",
        "2026-01-31T12:00:00+25:00",
        "0001-01-01T00:00:00+01:00",
        "\uff19999-01-01T00:00:00Z",
    ],
)
def test_what_is_not_an_instant_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_rfc3339_ns(text)
