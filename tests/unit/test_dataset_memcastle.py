"""MemCastle's own data file reads as it stands."""

import pytest

from harness.dataset.configurations import CONFIGURATIONS, takes_part
from harness.dataset.model import (
    AsOfEpoch,
    BetweenEpochs,
    Dataset,
    Historical,
    Placement,
    Present,
    Temporal,
)
from harness.dataset.read import read_dataset
from tests.datafiles import a_case_file


@pytest.fixture
def core() -> Dataset:
    return read_dataset(a_case_file("memcastle/core.json"))


def test_sizes_and_identity(core: Dataset) -> None:
    sizes = (
        len(core.documents),
        len(core.supersessions),
        len(core.mentions),
        len(core.queries),
    )

    assert sizes == (55, 4, 15, 39)
    assert len(core.document_ids) == 59
    assert core.last_epoch == 1
    assert core.sha256 == (
        "4672cfce1bfa49173caaed0be4ca8b4b4ff0728fdb73348f04fc759204e20951"
    )


@pytest.mark.parametrize(
    ("temporal", "old", "new"),
    [
        (Present(), False, True),
        (Historical(), True, True),
        (AsOfEpoch(0), True, False),
        (AsOfEpoch(1), False, True),
        (BetweenEpochs(0, 1), True, True),
    ],
)
def test_corrected_document_at_every_time(
    core: Dataset, temporal: Temporal, old: bool, new: bool
) -> None:
    assert core.visible("e07", temporal) is old
    assert core.visible("e07b", temporal) is new


def test_replacement_lies_where_the_original_lay(core: Dataset) -> None:
    assert core.placement("e07") == Placement("work", "engineering")
    assert core.placement("e07b") == Placement("work", "engineering")


def test_only_graph_queries_are_expanded(core: Dataset) -> None:
    asked = {
        each.name: [query.category for query in core.queries if takes_part(query, each)]
        for each in CONFIGURATIONS
    }

    assert asked["lexical+expand"] == ["graph"] * 5
    assert {name: len(categories) for name, categories in asked.items()} == {
        "lexical": 39,
        "semantic": 39,
        "hybrid": 39,
        "lexical+expand": 5,
    }
