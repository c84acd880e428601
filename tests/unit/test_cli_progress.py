"""Where no bar can be seen, a long phase says now and then how far it is."""

from harness.cli.progress import EVERY_S, Said, rate
from tests.fakes import FakeTime


def test_a_long_phase_says_how_far_it_is_how_fast_and_what_is_left() -> None:
    time, lines = FakeTime(), list[str]()
    said = Said("questions", 500, lines.append, time.time.clock)
    for _ in range(4):
        time.advance(EVERY_S / 2)
        said.advance(25)
    assert lines == [
        "questions: 50 of 500, 50.0 a minute, 9 min 0 s left",
        "questions: 100 of 500, 50.0 a minute, 8 min 0 s left",
    ]


def test_without_a_total_nothing_is_said_to_be_left() -> None:
    time, lines = FakeTime(), list[str]()
    said = Said("reading", None, lines.append, time.time.clock)
    time.advance(EVERY_S)
    said.advance(120)
    assert lines == ["reading: 120, 2.0 a second"]


def test_a_short_phase_says_nothing() -> None:
    time, lines = FakeTime(), list[str]()
    said = Said("questions", 7, lines.append, time.time.clock)
    time.advance(EVERY_S - 1)
    said.advance(7)
    assert lines == []


def test_slow_steps_are_counted_by_the_minute() -> None:
    assert (rate(0.25), rate(1.0)) == ("15.0 a minute", "1.0 a second")
