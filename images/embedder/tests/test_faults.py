"""The switch: what it takes, and which request meets what."""

from __future__ import annotations

import pytest

from embedder.errors import Refused
from embedder.faults import Fault, Switch, parse_fault


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ({"kind": "ok"}, Fault("ok")),
        ({"kind": "error"}, Fault("error")),
        ({"kind": "refuse"}, Fault("refuse")),
        ({"kind": "slow"}, Fault("slow", delay_s=3.0)),
        ({"kind": "slow", "delay_s": 1}, Fault("slow", delay_s=1.0)),
        ({"kind": "timeout"}, Fault("timeout", delay_s=300.0)),
        ({"kind": "rate_limited"}, Fault("rate_limited", retry_after_s=1)),
        (
            {"kind": "rate_limited", "retry_after_s": 2.0},
            Fault("rate_limited", retry_after_s=2),
        ),
        ({"kind": "nan"}, Fault("nan", spelling="NaN")),
        ({"kind": "nan", "spelling": "null"}, Fault("nan", spelling="null")),
        ({"kind": "error", "times": 2}, Fault("error", times=2)),
        ({"kind": "half", "times": None, "delay_s": None}, Fault("half")),
    ],
)
def test_a_fault_has_what_its_kind_needs(
    value: dict[str, object], wanted: Fault
) -> None:
    assert parse_fault(value) == wanted


@pytest.mark.parametrize(
    ("value", "param"),
    [
        ([], None),
        ({}, "kind"),
        ({"kind": "broken"}, "kind"),
        ({"kind": ["ok"]}, "kind"),
        ({"kind": "error", "delay_s": 1}, "delay_s"),
        ({"kind": "slow", "delay_s": -1}, "delay_s"),
        ({"kind": "slow", "delay_s": True}, "delay_s"),
        ({"kind": "slow", "delay_s": "1"}, "delay_s"),
        ({"kind": "slow", "delay_s": float("nan")}, "delay_s"),
        ({"kind": "slow", "delay_s": 3601}, "delay_s"),
        ({"kind": "slow", "retry_after_s": 1}, "retry_after_s"),
        ({"kind": "rate_limited", "retry_after_s": 0.5}, "retry_after_s"),
        ({"kind": "rate_limited", "retry_after_s": -1}, "retry_after_s"),
        ({"kind": "rate_limited", "retry_after_s": "1"}, "retry_after_s"),
        ({"kind": "error", "spelling": "NaN"}, "spelling"),
        ({"kind": "nan", "spelling": "nan"}, "spelling"),
        ({"kind": "error", "times": 0}, "times"),
        ({"kind": "error", "times": 1.0}, "times"),
        ({"kind": "error", "times": True}, "times"),
        ({"kind": "ok", "times": 1}, "times"),
        ({"kind": "refuse", "times": 1}, "times"),
        ({"kind": "error", "after": 1}, "after"),
    ],
)
def test_a_wrong_field_is_named(value: object, param: str | None) -> None:
    with pytest.raises(Refused) as caught:
        parse_fault(value)

    assert (caught.value.status, caught.value.param) == (400, param)


def test_a_fault_lasts_until_it_is_switched_off() -> None:
    switch = Switch()
    switch.turn(Fault("error"))
    kinds = [switch.meet()[0].kind for _ in range(3)]
    switch.turn(Fault("ok"))

    assert kinds == ["error"] * 3
    assert switch.meet()[0].kind == "ok"


def test_a_counted_fault_is_over_by_itself() -> None:
    switch = Switch()
    switch.turn(Fault("error", times=2))

    assert [switch.meet()[0].kind for _ in range(3)] == ["error", "error", "ok"]


def test_what_is_left_of_a_counted_fault_can_be_seen() -> None:
    switch = Switch()
    switch.turn(Fault("error", times=3))
    switch.meet()

    assert switch.fault == Fault("error", times=2)


def test_a_counted_fault_that_is_over_lets_nobody_go() -> None:
    switch = Switch()
    switch.turn(Fault("timeout", delay_s=300, times=1))
    _, release = switch.meet()
    switch.meet()
    was_released = release.is_set()
    switch.turn(Fault("ok"))

    assert (was_released, release.is_set()) == (False, True)


def test_a_switch_lets_go_only_those_that_came_before() -> None:
    switch = Switch()
    switch.turn(Fault("timeout", delay_s=300))
    _, release = switch.meet()

    assert not release.is_set()
