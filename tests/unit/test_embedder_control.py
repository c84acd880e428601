"""What the embedder is told, and what is believed of what it tells."""

import numpy as np
import pytest

from harness.daemon.embedder import REMEDY, EmbedderControl
from harness.errors import DaemonError, DaemonProtocolError
from tests.fake_palace import FakePalace, answer, refusal
from tests.fakes import FakeTime, a_free_port, transport

STATE = {
    "fault": {"kind": "ok"},
    "requests": 3,
    "inputs": 7,
    "answered": 2,
    "abandoned": 1,
    "cut": 0,
    "open": 0,
    "by_status": {"200": 2, "503": 1},
    "by_fault": {"error": 1},
    "models": ["trigram-384", "concept-768"],
    "mode": "serve",
}


def a_control(embedder: FakePalace) -> EmbedderControl:
    time = FakeTime()
    return EmbedderControl(
        "http://embedder:2",
        "http://embedder:1/v1",
        transport=transport(embedder, time),
        time=time.time,
    )


def vectors(*rows: tuple[int, list[float]]) -> object:
    return {"data": [{"index": index, "embedding": row} for index, row in rows]}


def test_fault_is_set_with_the_options_given_and_no_others() -> None:
    embedder = FakePalace()
    embedder.faults["PUT", "/control/fault"] = answer({})
    control = a_control(embedder)
    control.set_fault("ok")
    control.set_fault("rate_limited", retry_after_s=0, times=2)
    control.set_fault("slow", delay_s=1.5)

    assert [sent.json for sent in embedder.requests] == [
        {"kind": "ok"},
        {"kind": "rate_limited", "retry_after_s": 0, "times": 2},
        {"kind": "slow", "delay_s": 1.5},
    ]


def test_state_counts_what_reached_the_data_port() -> None:
    embedder = FakePalace()
    embedder.faults["GET", "/control/state"] = answer(STATE)
    state = a_control(embedder).state()

    assert state.fault.kind == "ok"
    assert (state.requests, state.inputs, state.answered) == (3, 7, 2)
    assert (state.abandoned, state.cut, state.open) == (1, 0, 0)
    assert state.by_status == {"200": 2, "503": 1}
    assert state.by_fault == {"error": 1}
    assert state.models == ("trigram-384", "concept-768")
    assert state.mode == "serve"


def test_reset_is_one_request() -> None:
    embedder = FakePalace()
    embedder.faults["POST", "/control/reset"] = answer({})
    a_control(embedder).reset()

    assert [(sent.method, sent.path) for sent in embedder.requests] == [
        ("POST", "/control/reset")
    ]


def test_texts_are_embedded_at_the_address_a_daemon_is_given() -> None:
    embedder = FakePalace()
    embedder.faults["POST", "/v1/embeddings"] = answer(
        vectors((1, [0.0, 1.0]), (0, [1.0, 0.0]))
    )
    found = a_control(embedder).embed(["a", "b"], model="trigram-384", dimension=2)

    assert embedder.requests[-1].json == {
        "model": "trigram-384",
        "input": ["a", "b"],
        "dimensions": 2,
    }
    assert found.vectors.dtype == np.float32
    assert found.vectors.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert found.instants.service_s == pytest.approx(0.003)


@pytest.mark.parametrize(
    "answered",
    [
        vectors((0, [1.0])),
        vectors((0, [1.0]), (0, [1.0])),
        vectors((0, [1.0]), (1, [1.0]), (1, [1.0])),
        vectors((0, [1.0]), (2, [1.0])),
        vectors((0, [1.0]), (1, [1.0, 0.0])),
    ],
)
def test_vectors_that_are_not_one_for_each_text_are_refused(answered: object) -> None:
    embedder = FakePalace()
    embedder.faults["POST", "/v1/embeddings"] = answer(answered)
    with pytest.raises(DaemonProtocolError, match=r"POST /embeddings .*data\.index"):
        a_control(embedder).embed(["a", "b"], model="trigram-384")


@pytest.mark.parametrize("name", ["fault", "requests", "inputs", "answered"])
def test_state_without_a_count_names_route_and_field(name: str) -> None:
    embedder = FakePalace()
    told = {key: value for key, value in STATE.items() if key != name}
    embedder.faults["GET", "/control/state"] = answer(told)
    with pytest.raises(DaemonProtocolError) as caught:
        a_control(embedder).state()

    assert "GET /control/state answered JSON of another shape" in caught.value.what
    assert f"{name}: Field required" in caught.value.what


def test_errors_send_the_reader_to_the_embedder() -> None:
    embedder = FakePalace()
    embedder.faults["PUT", "/control/fault"] = refusal(400, "unknown", "no such kind")
    with pytest.raises(DaemonError, match="answered 400") as caught:
        a_control(embedder).set_fault("half")
    assert (caught.value.where, caught.value.remedy) == ("http://embedder:2", REMEDY)

    nobody = f"http://127.0.0.1:{a_free_port()}"
    with (
        EmbedderControl(nobody, f"{nobody}/v1") as control,
        pytest.raises(DaemonError, match="found nobody listening") as caught,
    ):
        control.embed(["a"], model="trigram-384")
    assert (caught.value.where, caught.value.remedy) == (f"{nobody}/v1", REMEDY)
