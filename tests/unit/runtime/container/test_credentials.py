"""Secrets are drawn anew, shown in no repr, and lie in files for a moment only."""

from pathlib import Path

from harness.runtime.container.credentials import Credentials, SecretFiles


def test_no_two_runs_share_a_secret() -> None:
    drawn = {Credentials().password, Credentials().token, Credentials().password}

    assert len(drawn) == 3
    assert all(len(secret) >= 32 for secret in drawn)


def test_secrets_are_in_no_repr_and_are_taken_out_of_texts() -> None:
    values = Credentials()
    url = values.database_url("postgres", 5432)

    assert url == f"postgresql://postgres:{values.password}@postgres:5432/postgres"
    assert values.password not in repr(values)
    assert values.token not in repr(values)
    assert values.redact(f"{url} {values.token}") == (
        "postgresql://postgres:***@postgres:5432/postgres ***"
    )


def test_files_are_readable_by_all_behind_a_door_for_us_alone(tmp_path: Path) -> None:
    files = SecretFiles(tmp_path)
    path = files.put("token", "hunter2")

    assert path.read_text() == "hunter2"
    assert path.stat().st_mode & 0o777 == 0o444
    assert path.parent.stat().st_mode & 0o777 == 0o700

    files.remove()
    assert not path.exists()
