"""Requests are read as strictly as the real service reads them."""

from __future__ import annotations

import json

import pytest

from embedder.errors import Refused
from embedder.wire import Wanted, parse_request


def parse(**fields: object) -> Wanted:
    return parse_request(json.dumps({"model": "m", "input": "a", **fields}).encode())


def refusal(body: bytes) -> Refused:
    with pytest.raises(Refused) as caught:
        parse_request(body)
    return caught.value


def test_a_single_text_is_a_list_of_one() -> None:
    assert parse(input="one") == Wanted("m", ["one"], None, "float")


def test_texts_stay_as_they_were_sent() -> None:
    texts = [" a ", "\n", "\u00a0x\t"]

    assert parse(input=texts).texts == texts


def test_everything_asked_for_is_kept() -> None:
    got = parse(dimensions=4, encoding_format="base64", user="someone")

    assert got == Wanted("m", ["a"], 4, "base64")


def test_as_many_texts_as_the_real_service_takes_are_taken() -> None:
    assert len(parse(input=["a"] * 2048).texts) == 2048


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"input": None}, "input"),
        ({"input": []}, "input"),
        ({"input": ""}, "input"),
        ({"input": ["a", ""]}, "input"),
        ({"input": ["a"] * 2049}, "input"),
        ({"input": [1, 2]}, "input"),
        ({"input": [["a"]]}, "input"),
        ({"input": {"a": "b"}}, "input"),
        ({"input": 7}, "input"),
        ({"model": None}, "model"),
        ({"model": ""}, "model"),
        ({"model": 7}, "model"),
        ({"dimensions": 0}, "dimensions"),
        ({"dimensions": True}, "dimensions"),
        ({"dimensions": 1.5}, "dimensions"),
        ({"dimensions": "384"}, "dimensions"),
        ({"dimensions": 16_001}, "dimensions"),
        ({"encoding_format": "hex"}, "encoding_format"),
        ({"encoding_format": 64}, "encoding_format"),
        ({"user": 7}, "user"),
        ({"inputs": ["a"]}, "inputs"),
    ],
)
def test_a_wrong_field_is_named(fields: dict[str, object], param: str) -> None:
    body = json.dumps({"model": "m", "input": "a", **fields}).encode()

    problem = refusal(body)

    assert (problem.status, problem.param) == (400, param)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"text"',
        b'{"model":"m","input":"\xff"}',
        b'{"model":"m","input":"\\ud800"}',
        b'{"model":"m","input":"a","dimensions":NaN}',
    ],
)
def test_a_body_that_is_no_object_is_refused(body: bytes) -> None:
    assert refusal(body).status == 400


def test_a_refusal_repeats_no_text() -> None:
    problem = refusal(b'{"model": "m", "input": ["a secret text", ')

    assert "secret" not in problem.message
    assert problem.__context__ is None
