from __future__ import annotations

import json
from pathlib import Path

import pytest

from palace.errors import StartupError
from palace.settings import STANDIN, Profile, Settings

URL = {"PALACE_DATABASE_URL": "postgresql://somewhere/palace"}

TWO_DEFAULTS = json.dumps(
    [{"name": name, "dimension": 3, "default": True} for name in ("a", "b")]
)


def read(**variables: str) -> Settings:
    named = {f"PALACE_{name}": value for name, value in variables.items()}
    return Settings.from_environment({**URL, **named})


def test_a_database_is_all_that_must_be_given() -> None:
    settings = Settings.from_environment(URL)

    assert settings.profiles == (STANDIN,)
    assert (settings.host, settings.port, settings.token) == ("127.0.0.1", 8765, None)
    assert (settings.exact_limit, settings.build) == (10_000, "release")


def test_a_missing_database_is_named() -> None:
    with pytest.raises(StartupError, match="PALACE_DATABASE_URL is not set"):
        Settings.from_environment({})


@pytest.mark.parametrize(
    ("value", "wanted"),
    [("0.0.0.0:80", ("0.0.0.0", 80)), ("[::1]:0", ("::1", 0))],
)
def test_an_address_is_host_and_port(value: str, wanted: tuple[str, int]) -> None:
    settings = read(BIND=value)

    assert (settings.host, settings.port) == wanted


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BIND", "8765"),
        ("BIND", "host:99999"),
        ("EXACT_LIMIT", "-1"),
        ("EXACT_LIMIT", "many"),
        ("BUILD", "fast"),
        ("LOG", "xml"),
        ("TOKEN_FILE", "/nowhere/at/all"),
        ("RANKING_PRESET", "best"),
        ("RANKING", "[]"),
        ("RANKING", '{"surprise": 1}'),
        ("PROFILES", "not json"),
        ("PROFILES", "[]"),
        ("PROFILES", '[{"name": "A", "dimension": 3}]'),
        ("PROFILES", '[{"name": "a", "dimension": 0}]'),
        ("PROFILES", '[{"name": "a", "dimension": 3, "surprise": 1}]'),
        (
            "PROFILES",
            '[{"name": "a", "dimension": 3}, {"name": "a", "dimension": 4}]',
        ),
        ("PROFILES", TWO_DEFAULTS),
    ],
)
def test_an_unusable_variable_is_named(name: str, value: str) -> None:
    with pytest.raises(StartupError, match=f"PALACE_{name}"):
        read(**{name: value})


def test_the_first_profile_is_the_default_when_none_says_so() -> None:
    settings = read(
        PROFILES='[{"name": "a", "dimension": 3}, {"name": "b", "dimension": 4}]'
    )

    assert settings.default_profile.name == "a"


def test_a_provider_brings_its_own_profile() -> None:
    settings = read(
        EMBEDDINGS_URL="http://127.0.0.1:1/v1/",
        EMBEDDINGS_MODEL="m",
        EMBEDDINGS_DIMENSION="4",
    )

    assert settings.profiles == (
        STANDIN,
        Profile(name="provider", dimension=4, external=False),
    )


def test_a_provider_has_a_budget_for_queries_and_caps_for_loads() -> None:
    url = {"EMBEDDINGS_URL": "http://127.0.0.1:1/v1", "EMBEDDINGS_MODEL": "m"}
    told = {
        "EMBEDDINGS_TIMEOUT_S": "5",
        "EMBEDDINGS_QUERY_BUDGET_S": "0.5",
        "EMBEDDINGS_BATCH_TEXTS": "32",
        "EMBEDDINGS_ENCODING": "base64",
    }

    usual, other = read(**url).embeddings, read(**url, **told).embeddings

    assert usual is not None
    assert other is not None
    assert (usual.timeout_s, usual.query_budget_s) == (30.0, 2.0)
    assert (usual.batch_texts, usual.encoding) == (256, "float")
    assert (other.timeout_s, other.query_budget_s) == (5.0, 0.5)
    assert (other.batch_texts, other.encoding) == (32, "base64")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("EMBEDDINGS_QUERY_BUDGET_S", "0"),
        ("EMBEDDINGS_QUERY_BUDGET_S", "soon"),
        ("EMBEDDINGS_TIMEOUT_S", "nan"),
        ("EMBEDDINGS_BATCH_TEXTS", "0"),
        ("EMBEDDINGS_ENCODING", "hex"),
    ],
)
def test_an_unusable_variable_of_the_provider_is_named(name: str, value: str) -> None:
    url = {"EMBEDDINGS_URL": "http://127.0.0.1:1/v1", "EMBEDDINGS_MODEL": "m"}

    with pytest.raises(StartupError, match=f"PALACE_{name}"):
        read(**url, **{name: value})


def test_ranking_constants_are_the_preset_s_but_for_the_overrides() -> None:
    settings = read(RANKING='{"keyword_scan": 1000}')

    assert settings.ranking_preset == "recall"
    assert settings.ranking.keyword_scan == 1000
    assert settings.ranking.vector_pool == 20


def test_a_provider_needs_a_model() -> None:
    with pytest.raises(StartupError, match="PALACE_EMBEDDINGS_MODEL"):
        read(EMBEDDINGS_URL="http://127.0.0.1:1/v1")


def test_secrets_come_from_files_and_show_in_no_repr(tmp_path: Path) -> None:
    secret = tmp_path / "token"
    secret.write_text("hunter2\n")
    settings = read(
        TOKEN_FILE=str(secret),
        EMBEDDINGS_URL="http://127.0.0.1:1/v1",
        EMBEDDINGS_MODEL="m",
        EMBEDDINGS_API_KEY="sesame",
    )

    assert settings.token == "hunter2"
    assert "hunter2" not in repr(settings)
    assert "sesame" not in repr(settings)
    assert "somewhere" not in repr(settings)


def test_the_database_may_be_named_in_a_file(tmp_path: Path) -> None:
    secret = tmp_path / "database"
    secret.write_text("postgresql://palace:hunter2@elsewhere/palace\n")
    settings = Settings.from_environment({"PALACE_DATABASE_URL_FILE": str(secret)})

    assert settings.database_url == "postgresql://palace:hunter2@elsewhere/palace"
    assert "hunter2" not in repr(settings)


def test_an_empty_secret_file_is_refused(tmp_path: Path) -> None:
    secret = tmp_path / "token"
    secret.write_text("\n")

    with pytest.raises(StartupError, match="is empty"):
        read(TOKEN_FILE=str(secret))
