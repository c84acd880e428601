from __future__ import annotations

import uuid

import pytest

from palace.errors import InvalidInput
from palace.names import as_id, checked_content, checked_id, checked_name


@pytest.mark.parametrize("name", ["work", "Café 2", "日本", "a" * 512, "x-y_z.t"])
def test_plain_names_pass(name: str) -> None:
    assert checked_name("wing", name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        " a",
        "a ",
        "a/b",
        "a\nb",
        "a\x00b",
        "a" * 513,
        "6f9619ff-8b86-d011-b42d-00c04fc964ff",
    ],
)
def test_unusable_names_are_refused_naming_the_field(name: str) -> None:
    with pytest.raises(InvalidInput, match="invalid wing: "):
        checked_name("wing", name)


def test_a_drawer_s_name_may_hold_a_slash() -> None:
    assert checked_name("name", "docs/plan.md") == "docs/plan.md"


@pytest.mark.parametrize("content", ["", " \n\t", "a\x00b", "\ud800"])
def test_unstorable_content_is_refused(content: str) -> None:
    with pytest.raises(InvalidInput, match="invalid content: "):
        checked_content(content)


def test_ids_are_read_with_and_without_dashes() -> None:
    wanted = uuid.UUID("6f9619ff-8b86-d011-b42d-00c04fc964ff")

    assert as_id("6f9619ff-8b86-d011-b42d-00c04fc964ff") == wanted
    assert as_id("6F9619FF8B86D011B42D00C04FC964FF") == wanted
    assert as_id("work") is None


def test_a_malformed_id_is_refused_as_id() -> None:
    with pytest.raises(InvalidInput, match="invalid id: "):
        checked_id("nonsense")
