"""SIGTERM unwinds the stack as Ctrl-C does."""

import signal
import threading

import pytest

from harness.runtime import signals
from harness.runtime.signals import Terminated, undisturbed, unwinding


def interrupted_work(
    number: signal.Signals, steps: list[str], *, repeated: bool = False
) -> None:
    with unwinding():
        try:
            signal.raise_signal(number)
            steps.append("went on")
        finally:
            if repeated:
                signal.raise_signal(number)
            steps.append("cleared up")


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_signal_unwinds_and_names_its_exit_code(
    number: signal.Signals, code: int
) -> None:
    steps: list[str] = []
    with pytest.raises(Terminated) as caught:
        interrupted_work(number, steps)
    assert steps == ["cleared up"]
    assert caught.value.exit_code == code


def test_a_repeated_signal_does_not_break_the_clearing_up() -> None:
    steps: list[str] = []
    with pytest.raises(Terminated):
        interrupted_work(signal.SIGTERM, steps, repeated=True)
    assert steps == ["cleared up"]


def test_ctrl_c_stays_ctrl_c_and_counts_once() -> None:
    steps: list[str] = []
    with pytest.raises(KeyboardInterrupt) as caught:
        interrupted_work(signal.SIGINT, steps, repeated=True)
    assert steps == ["cleared up"]
    assert type(caught.value) is KeyboardInterrupt


def test_a_late_ctrl_c_breaks_a_clearing_up_that_hangs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(signals, "IMPATIENCE_S", 0.0)
    steps: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        interrupted_work(signal.SIGINT, steps, repeated=True)
    assert steps == []


def undisturbed_work(number: signal.Signals, steps: list[str]) -> None:
    with unwinding():
        with undisturbed():
            signal.raise_signal(number)
            steps.append("done")
        steps.append("went on")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_undisturbed_work_is_done_before_the_end(number: signal.Signals) -> None:
    steps: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        undisturbed_work(number, steps)
    assert steps == ["done"]


def test_whoever_catches_ctrl_c_catches_it() -> None:
    with pytest.raises(KeyboardInterrupt), unwinding():
        signal.raise_signal(signal.SIGTERM)


def test_handlers_are_put_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with unwinding():
        assert signal.getsignal(signal.SIGTERM) != before
    assert signal.getsignal(signal.SIGTERM) == before


def test_ignored_signal_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with unwinding():
            signal.raise_signal(signal.SIGHUP)
            kept = signal.getsignal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert kept is signal.SIG_IGN


def test_other_threads_are_left_alone() -> None:
    seen: list[object] = []

    def work() -> None:
        with unwinding():
            seen.append(signal.getsignal(signal.SIGTERM))

    before = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]
