from __future__ import annotations

import numpy as np
import pytest

from palace.scope import OPEN, DrawerTable, Facts, Filter, Now, Window


def facts(seq: int, **changes: object) -> Facts:
    values: dict[str, object] = {
        "seq": seq,
        "wing": "w",
        "room": "r",
        "valid_from": seq * 10,
        "valid_to": OPEN,
        "tags": (),
        "source_kind": "manual",
        "length": 20,
    }
    return Facts(**{**values, **changes})  # type: ignore[arg-type]  # by name


def table(*rows: Facts) -> DrawerTable:
    made = DrawerTable(["p"])
    for row in rows:
        made.add(row)
    return made


def left(drawers: DrawerTable, **wanted: object) -> list[int]:
    scope = Filter(**wanted)  # type: ignore[arg-type]  # by name
    return [int(seq) for seq in drawers.seqs(drawers.mask(scope))]


def test_the_empty_filter_leaves_what_is_current() -> None:
    drawers = table(facts(1), facts(2, valid_to=25), facts(3))

    assert left(drawers) == [1, 3]


def test_all_leaves_every_version() -> None:
    assert left(table(facts(1), facts(2, valid_to=25)), time=Now.ALL) == [1, 2]


def test_a_wing_and_a_room_are_matched_by_name_together_or_alone() -> None:
    drawers = table(
        facts(1, wing="a", room="x"), facts(2, wing="b", room="x"), facts(3, wing="a")
    )

    assert left(drawers, wing="a") == [1, 3]
    assert left(drawers, room="x") == [1, 2]
    assert left(drawers, wing="b", room="x") == [2]
    assert left(drawers, wing="nowhere") == []


def test_every_tag_asked_for_must_be_there() -> None:
    drawers = table(facts(1, tags=("a", "b")), facts(2, tags=("a",)), facts(3))

    assert left(drawers, tags=("a",)) == [1, 2]
    assert left(drawers, tags=("a", "b")) == [1]
    assert left(drawers, tags=("c",)) == []


def test_a_source_kind_is_matched() -> None:
    drawers = table(facts(1), facts(2, source_kind="file"))

    assert left(drawers, source_kind="file") == [2]


@pytest.mark.parametrize(
    ("window", "wanted"),
    [
        (Window(9, 10), []),  # ends where the drawer begins
        (Window(10, 11), [1]),  # its first instant
        (Window(19, 20), [1]),  # its last
        (Window(20, 21), []),  # its end is not part of it
        (Window(5, 10), []),
        (Window(5, 11), [1]),
        (Window(20, 30), []),
        (Window(19, 30), [1]),
    ],
)
def test_validity_and_windows_exclude_their_ends(
    window: Window, wanted: list[int]
) -> None:
    assert left(table(facts(1, valid_to=20)), time=window) == wanted


def test_a_closed_drawer_and_its_replacement_are_never_both_valid() -> None:
    drawers = table(facts(1), facts(2, valid_from=50))
    drawers.close(1, 50)

    assert left(drawers) == [2]
    assert left(drawers, time=Window(49, 50)) == [1]
    assert left(drawers, time=Window(50, 51)) == [2]
    assert left(drawers, time=Window(49, 51)) == [1, 2]


def test_a_removed_drawer_is_found_by_no_filter_and_keeps_its_row() -> None:
    drawers = table(facts(1, tags=("t",)), facts(2))
    drawers.set_embedded(1, "p")
    drawers.remove(1)

    assert left(drawers, time=Now.ALL) == [2]
    assert left(drawers, tags=("t",), time=Now.ALL) == []
    assert drawers.rows == 2
    assert len(drawers) == 1
    assert drawers.n_embedded("p") == 0
    assert drawers.row_of(1) is None


def test_only_embedded_drawers_are_in_a_profile() -> None:
    drawers = table(facts(1), facts(2))
    drawers.set_embedded(2, "p")

    assert drawers.seqs(drawers.embedded("p", drawers.mask(Filter()))).tolist() == [2]


def test_drawers_come_in_order_of_ingestion() -> None:
    with pytest.raises(ValueError, match="comes after"):
        table(facts(2), facts(1))


def test_growing_past_the_first_columns_loses_nothing() -> None:
    drawers = table(*(facts(seq, tags=("t",)) for seq in range(1, 3001)))
    drawers.set_embedded(3000, "p")

    assert drawers.n_current == 3000
    assert left(drawers, tags=("t",)) == list(range(1, 3001))
    assert drawers.n_embedded("p") == 1


def test_lengths_are_taken_with_both_ends() -> None:
    drawers = table(facts(1, length=9), facts(2, length=10), facts(3, length=11))
    mask = drawers.of_length(drawers.mask(Filter()), 10, 10.9)

    assert np.flatnonzero(mask).tolist() == [1]


@pytest.mark.parametrize("time", list(Now))
def test_a_mask_is_of_its_moment(time: Now) -> None:
    drawers = table(facts(1), facts(2))
    mask = drawers.mask(Filter(time=time))

    drawers.close(1, 30)
    drawers.remove(2)
    drawers.add(facts(3))

    assert mask.tolist() == [True, True]
    assert [drawers.is_among(seq, mask) for seq in (1, 2, 3)] == [True, False, False]
