"""The four rankings, scope, ties and expansion over HTTP."""

from __future__ import annotations

import pytest

from tests.running import RunningDaemon, axis, blend


@pytest.fixture(scope="module")
def stocked(daemon: RunningDaemon) -> dict[str, str]:
    """A few drawers by nickname; vectors lie along the first axes."""
    made = {
        "boiler": daemon.create(
            "The boiler is serviced in October",
            wing="home", room="cellar", embedding=blend(1.0, 0.2),
        ),
        "pipe": daemon.create(
            "A pipe in the cellar leaked near the boiler",
            wing="home", room="cellar", embedding=blend(0.9, 0.5),
        ),
        "release": daemon.create(
            "The release is serviced by two engineers",
            wing="work", room="plans", embedding=blend(0.1, 1.0),
        ),
        "silent": daemon.create(
            "No vector here, only words", wing="work", room="cellar"
        ),
    }  # fmt: skip
    return {name: drawer["id"] for name, drawer in made.items()}


def names(stocked: dict[str, str], ids: list[str]) -> list[str]:
    by_id = {drawer: name for name, drawer in stocked.items()}
    return [by_id[drawer] for drawer in ids]


def test_every_word_first_and_any_word_only_when_none_has_all(
    daemon: RunningDaemon, stocked: dict[str, str]
) -> None:
    both = daemon.search(text="boiler serviced", ranking="lexical")
    either = daemon.search(text="boiler engineers", ranking="lexical")
    neither = daemon.search(text="submarine", ranking="lexical")

    assert names(stocked, [hit["id"] for hit in both.json()]) == ["boiler"]
    assert both.headers["x-palace-lexical"] == "all"
    assert {hit["id"] for hit in either.json()} == {
        stocked["boiler"], stocked["pipe"], stocked["release"],
    }  # fmt: skip
    assert either.headers["x-palace-lexical"] == "any"
    assert neither.json() == []
    assert neither.headers["x-palace-lexical"] == "none"


def test_attached_punctuation_never_makes_a_query_fail(
    daemon: RunningDaemon, stocked: dict[str, str]
) -> None:
    assert names(stocked, daemon.found(text="(boiler) serviced?!")) == ["boiler"]


def test_all_words_are_looked_for_within_the_scope(
    daemon: RunningDaemon, stocked: dict[str, str]
) -> None:
    got = daemon.search(
        text="boiler serviced", ranking="lexical", filter={"wing": "work"}
    )

    # The drawer with both words is elsewhere, so any word counts here.
    assert names(stocked, [hit["id"] for hit in got.json()]) == ["release"]
    assert got.headers["x-palace-lexical"] == "any"


def test_semantic_ranks_by_cosine_whatever_the_length_of_the_vector(
    daemon: RunningDaemon, stocked: dict[str, str]
) -> None:
    got = daemon.search(ranking="semantic", query_embedding=blend(20.0))

    assert names(stocked, [hit["id"] for hit in got.json()]) == [
        "boiler", "pipe", "release",
    ]  # fmt: skip
    # cos((1, .2), (1, 0)), by hand.
    assert got.json()[0]["score"] == pytest.approx(1 / 1.04**0.5, abs=1e-6)
    assert got.headers["x-palace-ranking"] == "semantic"
    assert got.headers["x-palace-plan"] == "exact;rows=3"


def test_hybrid_fuses_the_ranks_of_both_legs(
    daemon: RunningDaemon, stocked: dict[str, str]
) -> None:
    hits = daemon.search(
        text="pipe leaked", ranking="hybrid", query_embedding=blend(1.0)
    ).json()

    # Words: pipe 1st. Meaning: boiler 1st, pipe 2nd, release 3rd.
    assert names(stocked, [hit["id"] for hit in hits]) == ["pipe", "boiler", "release"]
    assert hits[0]["score"] == pytest.approx(1 / 61 + 1 / 62, abs=1e-7)
    assert set(hits[0]["signals"]) == {"lexical", "semantic"}
    assert set(hits[1]["signals"]) == {"semantic"}


def test_hybrid_s_words_leg_takes_any_word(
    daemon: RunningDaemon, stocked: dict[str, str]
) -> None:
    got = daemon.search(
        text="boiler serviced", ranking="hybrid", query_embedding=axis(9)
    )

    assert got.headers["x-palace-lexical"] == "any"
    with_words = [hit["id"] for hit in got.json() if "lexical" in hit["signals"]]
    assert set(with_words) == {stocked["boiler"], stocked["pipe"], stocked["release"]}


def test_auto_is_hybrid_with_a_vector_and_lexical_without(
    daemon: RunningDaemon, stocked: dict[str, str]
) -> None:
    del stocked
    fused = daemon.search(text="boiler", query_embedding=axis(0))
    plain = daemon.search(text="boiler")

    assert fused.headers["x-palace-ranking"] == "hybrid"
    assert "x-palace-degraded" not in fused.headers
    assert plain.headers["x-palace-ranking"] == "lexical"
    assert plain.headers["x-palace-degraded"] == (
        "memcastle::search::semantic_unavailable"
    )
    assert plain.headers["x-palace-plan"] == "none;rows=0"


@pytest.mark.parametrize("ranking", ["semantic", "hybrid"])
def test_a_ranking_asked_for_by_name_never_falls_open(
    daemon: RunningDaemon, ranking: str
) -> None:
    answer = daemon.client.post(
        "/api/search", json={"text": "boiler", "ranking": ranking}
    )

    assert answer.status_code == 400
    assert answer.json()["code"] == "memcastle::search::semantic_unavailable"


@pytest.mark.parametrize("ranking", ["lexical", "semantic", "hybrid"])
@pytest.mark.parametrize(
    ("scope", "wanted"),
    [
        ({"wing": "home"}, {"boiler", "pipe"}),
        ({"room": "plans"}, {"release"}),
        ({"wing": "work", "room": "plans"}, {"release"}),
        ({"wing": "home", "room": "plans"}, set()),
        ({"wing": "nowhere"}, set()),
        ({"tags": ["none"]}, set()),
        ({"source_kind": "file"}, set()),
    ],
)
def test_no_leg_leaves_its_scope(
    daemon: RunningDaemon,
    stocked: dict[str, str],
    ranking: str,
    scope: dict[str, object],
    wanted: set[str],
) -> None:
    got = daemon.found(
        text="boiler pipe release serviced",
        ranking=ranking,
        query_embedding=axis(0),
        filter=scope,
    )

    assert set(names(stocked, got)) == wanted


def test_a_drawer_without_a_vector_never_appears_by_meaning(
    daemon: RunningDaemon, stocked: dict[str, str]
) -> None:
    got = daemon.found(ranking="semantic", query_embedding=axis(0), limit=200)

    assert stocked["silent"] not in got


def test_limits_are_ten_by_default_and_cut_at_two_hundred(
    daemon: RunningDaemon,
) -> None:
    drawers = [
        {"wing": "many", "room": "r", "content": f"zebra {n}", "embedding": axis(n)}
        for n in range(230)
    ]
    daemon.client.post("/api/drawers/batch", json={"drawers": drawers})
    scope = {"wing": "many"}

    for asked, wanted in ((0, 10), (7, 7), (200, 200), (1000, 200)):
        for ranking in ("lexical", "semantic", "hybrid"):
            got = daemon.found(
                text="zebra", ranking=ranking, limit=asked, filter=scope,
                query_embedding=axis(0),
            )  # fmt: skip
            assert len(got) == wanted, (ranking, asked)


def test_equal_scores_come_in_order_of_ingestion(daemon: RunningDaemon) -> None:
    made = [
        daemon.create(f"twin number {word}", wing="ties", embedding=axis(7))["id"]
        for word in ("one", "two", "three", "four", "five")
    ]
    for ranking in ("lexical", "semantic", "hybrid"):
        got = daemon.found(
            text="twin", ranking=ranking, query_embedding=axis(7),
            filter={"wing": "ties"},
        )  # fmt: skip
        assert got == made, ranking


def test_ties_at_the_limit_are_cut_in_order_of_ingestion(
    daemon: RunningDaemon,
) -> None:
    made = [
        daemon.create(f"clone {n}", wing="cut", embedding=axis(8))["id"]
        for n in range(6)
    ]

    got = daemon.found(
        ranking="semantic", query_embedding=axis(8), filter={"wing": "cut"}, limit=3
    )

    assert got == made[:3]


def test_lexical_does_not_look_at_the_vector_or_its_profile(
    daemon: RunningDaemon, stocked: dict[str, str]
) -> None:
    got = daemon.found(
        text="boiler serviced", ranking="lexical", query_embedding=[1.0],
        profile="nonsense",
    )  # fmt: skip

    assert got == [stocked["boiler"]]


def test_hits_are_stored_drawers_with_score_and_signals(
    daemon: RunningDaemon, stocked: dict[str, str]
) -> None:
    (hit,) = daemon.search(text="boiler serviced").json()
    drawer = daemon.client.get(f"/api/drawers/{stocked['boiler']}").json()

    signals = hit.pop("signals")
    score = hit.pop("score")
    assert hit == drawer
    assert signals == {"lexical": score}


def test_a_query_string_searches_as_well(
    daemon: RunningDaemon, stocked: dict[str, str]
) -> None:
    got = daemon.client.get(
        "/api/search", params={"q": "boiler", "wing": "home", "limit": "1"}
    )

    assert names(stocked, [hit["id"] for hit in got.json()]) == ["boiler"]


@pytest.mark.parametrize(
    "parameters",
    [
        {"as_of": "2026-01-01", "include_historical": "true"},
        {"as_of": "2026-01-01", "from": "2026-01-01", "until": "2026-01-02"},
        {"from": "2026-01-01"},
        {"until": "2026-01-01"},
        {"from": "2026-01-02", "until": "2026-01-01"},
        {"as_of": "yesterday"},
    ],
)
def test_times_that_do_not_go_together_are_refused(
    daemon: RunningDaemon, parameters: dict[str, str]
) -> None:
    answer = daemon.client.get("/api/search", params={"q": "x", **parameters})

    assert answer.status_code == 400
    assert answer.json()["error"].startswith("invalid temporal: ")


def test_expansion_appends_what_shares_an_entity(daemon: RunningDaemon) -> None:
    seed = daemon.create("Maria phoned about the kiln", wing="graph")["id"]
    shared = daemon.create("The pottery class moved", wing="graph")["id"]
    twice = daemon.create("Clay was ordered", wing="graph")["id"]
    for drawer in (seed, shared, twice):
        daemon.mention(drawer, "Maria Rossi")
    for drawer in (seed, twice):
        daemon.mention(drawer, "Kiln", "thing")

    hits = daemon.search(text="phoned kiln", ranking="lexical", expand=True).json()

    assert [hit["id"] for hit in hits] == [seed, twice, shared]
    assert [hit["score"] for hit in hits[1:]] == [2.0, 1.0]
    assert hits[1]["signals"] == {"graph": 2.0}
    assert hits[1]["via"] == ["Kiln", "Maria Rossi"]
    assert "via" not in hits[0]


def test_an_entity_one_edge_away_counts_half(daemon: RunningDaemon) -> None:
    seed = daemon.create("Ottoline repaired the loom", wing="edges")["id"]
    near = daemon.create("The weaving hall was painted", wing="edges")["id"]
    person = daemon.mention(seed, "Ottoline")["entity"]["id"]
    place = daemon.mention(near, "Weaving Hall", "place")["entity"]["id"]
    before = daemon.found(text="loom", ranking="lexical", expand=True)

    daemon.client.post(f"/api/entities/{place}/relations", json={"to": person})

    hits = daemon.search(text="loom", ranking="lexical", expand=True).json()
    assert before == [seed]
    assert [(hit["id"], hit["score"]) for hit in hits[1:]] == [(near, 0.5)]


def test_expansion_stays_in_scope_and_appends_at_most_the_limit(
    daemon: RunningDaemon,
) -> None:
    seed = daemon.create("The almanac opened", wing="bound")["id"]
    daemon.mention(seed, "Almanac", "thing")
    outside = daemon.create("Another almanac note", wing="elsewhere")["id"]
    daemon.mention(outside, "Almanac", "thing")
    related = [daemon.create(f"leaf {n}", wing="bound")["id"] for n in range(4)]
    for drawer in related:
        daemon.mention(drawer, "Almanac", "thing")
    old = daemon.create("A leaf that fell", wing="bound")["id"]
    daemon.mention(old, "Almanac", "thing")
    daemon.supersede(old, "A leaf that was pressed")

    got = daemon.found(
        text="almanac opened", ranking="lexical", expand=True, limit=2,
        filter={"wing": "bound"},
    )  # fmt: skip
    wide = daemon.found(
        text="almanac opened", ranking="lexical", expand=True,
        filter={"wing": "bound"},
    )  # fmt: skip

    assert got == [seed, *related[:2]]
    assert wide == [seed, *related]
