"""A sweep takes what is dead or its own, in order, and nothing else."""

from dataclasses import replace

import pytest

from harness.errors import PrerequisiteError
from harness.runtime.container import sweep as module
from harness.runtime.container.owner import Owner
from harness.runtime.container.session import Session
from harness.runtime.container.sweep import sweep_dead, sweep_session
from tests.unit.runtime.container.fake_engine import FakeEngine

LIVING = Session.begin()
DEAD = Session("dead", replace(LIVING.owner, started="1"))
FOREIGN = Session("foreign", Owner(1, "boot", "2", "elsewhere:3"))


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUIET_S", 0.0)
    monkeypatch.setattr(module, "RETRY_S", 0.0)


def test_dead_sessions_go_in_the_order_in_which_they_can() -> None:
    engine = FakeEngine({"c": DEAD.labels}, {"n": DEAD.labels}, {"v": DEAD.labels})

    swept = sweep_dead(engine.client)

    assert engine.log == ["container c", "network n", "volume v"]
    assert swept.removed == ["container", "network", "volume"]


def test_living_foreign_and_strange_objects_stay() -> None:
    engine = FakeEngine(
        {
            "a": LIVING.labels,
            "b": FOREIGN.labels,
            "c": {"memory-harness.owner": "?"},
            "d": {"some.other": "label"},
        }
    )

    swept = sweep_dead(engine.client)

    assert engine.log == []
    assert swept.removed == []
    assert swept.kept == ["container b", "container c"]


def test_session_takes_its_own_only() -> None:
    other = Session("other", LIVING.owner)
    engine = FakeEngine({"a": LIVING.labels, "b": other.labels}, {"n": other.labels})

    sweep_session(engine.client, LIVING.id)

    assert engine.log == ["container a"]


def test_what_appears_late_is_taken_too() -> None:
    engine = FakeEngine({"early": LIVING.labels})
    late = iter(["", "late"])

    def appear() -> None:
        if name := next(late, ""):
            engine.there["container"][name] = LIVING.labels

    engine.before_listing = appear
    sweep_session(engine.client, LIVING.id, until_quiet=True)

    assert engine.log == ["container early", "container late"]


@pytest.mark.parametrize("status", [403, 409, 500])
def test_busy_object_is_tried_again(status: int) -> None:
    engine = FakeEngine({}, {"n": LIVING.labels})
    engine.refusals = [status, status]

    sweep_session(engine.client, LIVING.id)

    assert engine.log == ["network n"]


def test_object_that_somebody_else_took_is_no_fault() -> None:
    engine = FakeEngine({"c": LIVING.labels})
    engine.refusals = [404]

    assert sweep_session(engine.client, LIVING.id).removed == ["container"]


def test_object_that_does_not_go_is_named_with_a_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "PATIENCE_S", 0.0)
    engine = FakeEngine({}, {"network": LIVING.labels})
    engine.refusals = [409] * 1000

    with pytest.raises(PrerequisiteError, match="refused with 409") as caught:
        sweep_session(engine.client, LIVING.id)

    assert "docker network rm -f network" in caught.value.remedy
