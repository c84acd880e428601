"""Where vectors come from is read from the environment, and nothing is guessed."""

import pickle
from pathlib import Path

import pytest

from harness.errors import PrerequisiteError, UsageError
from harness.provider.credentials import ApiKey, read_endpoint

BASE = {
    "EVAL_EMBEDDINGS_URL": "https://host/v1/",
    "EVAL_EMBEDDINGS_MODEL": "some-model",
}


def refused(**more: str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        read_endpoint(BASE | {f"EVAL_EMBEDDINGS_{k}": v for k, v in more.items()})
    return caught.value


def test_without_an_address_there_is_no_endpoint() -> None:
    assert read_endpoint({"EVAL_EMBEDDINGS_URL": ""}) is None


def test_endpoint_is_known_by_host_port_and_path() -> None:
    endpoint = read_endpoint(BASE | {"EVAL_EMBEDDINGS_URL": "http://HOST:81/a/v1/"})
    assert endpoint is not None
    assert endpoint.identity == "host:81/a/v1"


def test_address_may_end_with_the_route() -> None:
    endpoint = read_endpoint(
        BASE | {"EVAL_EMBEDDINGS_URL": "https://host/v1/embeddings"}
    )
    assert endpoint is not None
    assert endpoint.url == "https://host/v1"


def test_address_without_a_model_is_refused() -> None:
    assert "EVAL_EMBEDDINGS_MODEL is not" in refused(MODEL="").what


@pytest.mark.parametrize(
    "url",
    ["ftp://host", "host/v1", "https://", "https://host/v1?key=x", "http://host:port"],
)
def test_what_is_no_base_address_is_refused(url: str) -> None:
    assert refused(URL=url).what.startswith("EVAL_EMBEDDINGS_URL ")


def test_address_with_a_password_is_refused_and_not_repeated() -> None:
    assert "hunter2" not in str(refused(URL="https://me:hunter2@host/v1"))


@pytest.mark.parametrize("text", ["0", "-3", "1e3", "many", "1234567"])
def test_dimension_must_be_a_whole_number_above_zero(text: str) -> None:
    assert repr(text) in refused(DIMENSION=text).what


def test_key_comes_from_a_file_without_its_line_end(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("sk-1\n")
    endpoint = read_endpoint(BASE | {"EVAL_EMBEDDINGS_API_KEY_FILE": str(path)})
    assert endpoint is not None
    assert endpoint.key is not None
    assert endpoint.key.redact("it was sk-1.") == "it was ***."


def test_key_given_twice_is_refused(tmp_path: Path) -> None:
    error = refused(API_KEY="sk-1", API_KEY_FILE=str(tmp_path / "key"))
    assert "both set" in error.what


def test_file_of_the_key_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "key"
    with pytest.raises(PrerequisiteError, match="cannot be read"):
        read_endpoint(BASE | {"EVAL_EMBEDDINGS_API_KEY_FILE": str(path)})


@pytest.mark.parametrize("text", ["", "\xff\xfe", "two words", "a\nb"])
def test_file_that_holds_no_key_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "key"
    path.write_bytes(text.encode("latin-1"))
    assert "EVAL_EMBEDDINGS_API_KEY_FILE" in refused(API_KEY_FILE=str(path)).what


def test_key_does_not_travel_to_another_process() -> None:
    with pytest.raises(TypeError, match="read it anew"):
        pickle.dumps(ApiKey("sk-1"))
