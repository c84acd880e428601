from __future__ import annotations

import json

import pytest

from palace.errors import InvalidInput
from palace.scope import Now, Window
from palace.wire.requests import Search, SearchFilter
from palace.wire.temporal import instant, read_temporal, window


def test_an_instant_is_the_microsecond_it_falls_into() -> None:
    # Within [5 us, 6 us): a drawer stamped at 5 is valid then, one stamped at 6 not.
    assert instant("1970-01-01T00:00:00.000005900Z") == Window(5, 6)


def test_a_window_is_widened_to_whole_microseconds() -> None:
    got = window("1970-01-01T00:00:00.000005900Z", "1970-01-01T00:00:00.000007100Z")

    assert got == Window(5, 8)


def test_an_empty_window_is_refused_naming_temporal() -> None:
    with pytest.raises(InvalidInput) as caught:
        window("2026-01-01", "2026-01-01")

    assert caught.value.field == "temporal"


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("{}", Now.CURRENT),
        ('{"filter": {"temporal": "all"}}', Now.ALL),
        ('{"filter": {"temporal": {"as_of": "1970-01-01"}}}', Window(0, 1)),
        (
            json.dumps(
                {
                    "filter": {
                        "temporal": {
                            "between": {"from": "1970-01-01", "until": "1970-01-02"}
                        }
                    }
                }
            ),
            Window(0, 86_400_000_000),
        ),
    ],
)
def test_the_four_forms_on_the_wire(body: str, wanted: Now | Window) -> None:
    search = Search.model_validate_json(body)

    filter_ = search.filter or SearchFilter()
    assert read_temporal(filter_.temporal) == wanted
