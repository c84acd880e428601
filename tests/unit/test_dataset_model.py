"""Who may see which document, from where and when."""

from pathlib import Path

import pytest

from harness.dataset.model import (
    AsOfEpoch,
    BetweenEpochs,
    Dataset,
    Document,
    Filter,
    Historical,
    Judgment,
    Placement,
    Present,
    Query,
    Supersession,
    Temporal,
)


def a_dataset(*corrections: Supersession) -> Dataset:
    return Dataset(
        name="tiny",
        version=1,
        description="",
        concepts={},
        documents=(
            Document("kept", "home", "kitchen", "stays"),
            Document("old", "work", "desk", "goes"),
        ),
        supersessions=corrections,
        mentions=(),
        queries=(),
        sha256="0" * 64,
        path=Path("tiny.json"),
    )


CORRECTED = a_dataset(Supersession(2, "old", "new", "comes"))


@pytest.mark.parametrize(
    ("temporal", "old", "new"),
    [
        (Present(), False, True),
        (Historical(), True, True),
        (AsOfEpoch(0), True, False),
        (AsOfEpoch(1), True, False),
        (AsOfEpoch(2), False, True),
        (AsOfEpoch(3), False, True),
        (BetweenEpochs(0, 1), True, False),
        (BetweenEpochs(0, 2), True, True),
        (BetweenEpochs(1, 2), True, True),
        (BetweenEpochs(1, 3), True, True),
        (BetweenEpochs(2, 3), False, True),
    ],
)
def test_ends_are_exclusive(temporal: Temporal, old: bool, new: bool) -> None:
    assert CORRECTED.visible("old", temporal) is old
    assert CORRECTED.visible("new", temporal) is new
    assert CORRECTED.visible("kept", temporal)
    assert CORRECTED.visible("filler-7", temporal)


@pytest.mark.parametrize(
    ("scope", "kept", "new", "filler"),
    [
        (Filter(), True, True, True),
        (Filter(wing="work"), False, True, False),
        (Filter(room="desk"), False, True, False),
        (Filter(wing="home", room="kitchen"), True, False, False),
        (Filter(wing="home", room="desk"), False, False, False),
        (Filter(wing="filler"), False, False, False),
    ],
)
def test_every_side_of_a_filter_must_match(
    scope: Filter, kept: bool, new: bool, filler: bool
) -> None:
    assert CORRECTED.in_scope("kept", scope) is kept
    assert CORRECTED.in_scope("new", scope) is new
    assert CORRECTED.in_scope("filler-7", scope) is filler


def test_a_correction_lies_where_the_document_it_replaces_lay() -> None:
    assert CORRECTED.placement("new") == Placement("work", "desk")
    assert CORRECTED.placement("filler-7") is None


def test_the_last_epoch_is_zero_without_corrections() -> None:
    assert a_dataset().last_epoch == 0
    assert CORRECTED.last_epoch == 2


def test_ids_are_in_file_order_with_corrections_last() -> None:
    assert CORRECTED.document_ids == ("kept", "old", "new")


def test_grades_map_judged_documents() -> None:
    relevant = (Judgment("old", 1), Judgment("kept", 2))
    query = Query("q", "lexical", "text", Filter(), Present(), None, relevant)

    assert query.grades == {"old": 1, "kept": 2}


def test_times_read_as_prose() -> None:
    times = (Present(), Historical(), AsOfEpoch(1), BetweenEpochs(1, 2))

    assert [str(each) for each in times] == [
        "the present",
        "every version",
        "the end of epoch 1",
        "the ends of epochs 1 to 2",
    ]
