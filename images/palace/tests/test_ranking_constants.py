"""The numbers of the ranking: published ones by default, single ones replaceable."""

from __future__ import annotations

import json

import pytest

from palace.documents.constants import RECALL, RankingConstants, read_constants
from palace.errors import StartupError


def test_the_default_preset_has_the_published_values() -> None:
    got = read_constants(None, None)

    assert (got.vector_pool, got.vector_threshold) == (20, 0.1)
    assert (got.hybrid_pool, got.hybrid_threshold) == (40, 0.05)
    assert (got.hybrid_vector_weight, got.hybrid_keyword_weight) == (0.6, 0.4)
    assert (got.document_k1, got.document_b) == (1.5, 0.75)
    assert (got.search_k1, got.search_b) == (1.2, 0.75)
    assert (got.chunk_characters, got.overlap_characters) == (1750, 350)
    assert (got.facts_per_kind, got.facts_tau_days) == (6, 14.0)
    assert len(got.search_stop_words) == 25
    assert got.tie_order == "newest"


def test_the_default_preset_cuts_no_scan() -> None:
    assert (RECALL.keyword_scan, RECALL.facts_scan) == (None, None)


def test_single_constants_are_replaced() -> None:
    got = read_constants(
        "recall", '{"hybrid_pool": 10, "keyword_scan": 1000, "search_stop_words": []}'
    )

    assert (got.hybrid_pool, got.keyword_scan) == (10, 1000)
    assert got.search_stop_words == ()
    assert got.vector_pool == 20


@pytest.mark.parametrize(
    ("overrides", "complaint"),
    [
        ('{"pool": 10}', "pool: "),
        ('{"hybrid_pool": 0}', "hybrid_pool: "),
        ('{"hybrid_pool": "40"}', "hybrid_pool: "),
        ('{"vector_threshold": 1.5}', "vector_threshold: "),
        ('{"tie_order": "random"}', "tie_order: "),
        ('{"facts_tau_days": 0}', "facts_tau_days: "),
        ('{"chunk_overlap_tokens": 500}', "chunk_overlap_tokens 500 is not below"),
        ("[]", "object"),
        ("{", "JSON"),
    ],
)
def test_an_unusable_constant_stops_the_start_and_is_named(
    overrides: str, complaint: str
) -> None:
    with pytest.raises(StartupError, match=r"PALACE_RANKING=") as raised:
        read_constants(None, overrides)

    assert complaint in str(raised.value)


def test_an_unknown_preset_stops_the_start() -> None:
    with pytest.raises(StartupError, match="PALACE_RANKING_PRESET='mine'"):
        read_constants("mine", None)


def test_every_constant_is_described_as_json() -> None:
    described = json.loads(json.dumps(RECALL.described()))

    chunk = described.pop("chunk")
    assert chunk == {
        "tokens": 500, "overlap_tokens": 100, "characters_per_token": 3.5,
        "characters": 1750, "overlap_characters": 350,
    }  # fmt: skip
    cutting = {"chunk_tokens", "chunk_overlap_tokens", "characters_per_token"}
    fields = set(RankingConstants.__dataclass_fields__)
    assert set(described) == fields - cutting
