"""Verdicts on speed: what it takes to be called slower, and what never is."""

import pytest
from scipy.stats import binomtest

from harness.judge.ab.figures import fewest, median_ratio, share, sign_test
from harness.judge.ab.latency import judge_latency, wants_another
from harness.report.ab import LatencyVerdict, QueryTimes, Round, Tails, Times
from tests.ab_rounds import a_round, some_times


def the_median(*rounds: Round, budget: float = 0.05) -> LatencyVerdict:
    first, *_ = judge_latency(rounds, budget)
    assert first.figure == "median"
    return first


# --- the figures


def test_ratio_is_the_median_over_queries() -> None:
    times = Times(
        configuration="hybrid",
        queries=tuple(
            QueryTimes(query=f"q{place}", base_ms=base, candidate_ms=candidate)
            for place, (base, candidate) in enumerate([(1, 2), (10, 11), (100, 90)])
        ),
        tails=None,
        rankings_moved=0,
    )

    found = median_ratio(times)

    # 2.0, 1.1 and 0.9: one query's doubling is one vote.
    assert found is not None
    assert found.ratio == pytest.approx(1.1)


def test_a_time_of_nothing_has_no_ratio() -> None:
    times = Times(
        configuration="hybrid",
        queries=(QueryTimes(query="q1", base_ms=0.0, candidate_ms=1.0),),
        tails=None,
        rankings_moved=0,
    )

    assert median_ratio(times) is None


def test_reach_is_the_same_up_and_down() -> None:
    up, down = median_ratio(some_times(1.25)), median_ratio(some_times(0.8))

    assert up is not None
    assert down is not None
    assert up.reach == pytest.approx(down.reach, rel=0.01)


@pytest.mark.parametrize(("above", "of"), [(39, 39), (27, 39), (20, 39), (5, 5)])
def test_sign_test_is_the_binomial_test(above: int, of: int) -> None:
    ratios = [1.2] * above + [0.7] * (of - above)
    wanted = binomtest(max(above, of - above), of).pvalue

    assert sign_test(ratios, 1.1) == pytest.approx(wanted)


def test_sign_test_counts_what_is_within_the_floor_as_not_beyond() -> None:
    # 2 of 4 beyond: P(2 or more of 4 heads) = 11/16, doubled and cut at 1.
    assert sign_test([1.2, 1.2, 1.0, 1.05], 1.1) == 1.0
    # 4 of 4: 1/16, doubled.
    assert sign_test([1.2] * 4, 1.1) == 0.125


def test_sign_test_holds_for_more_queries_than_a_double_has_powers_of_two() -> None:
    assert sign_test([1.2] * 1500, 1.1) == pytest.approx(0.0, abs=1e-300)


def test_fewest_queries_by_hand() -> None:
    # 2 / 2^6 = 0.031 and 2 / 2^5 = 0.063; with four tests 8 / 2^8 = 0.031.
    assert (fewest(1), fewest(4)) == (6, 8)


def test_share_is_written_in_per_cent() -> None:
    assert share(1.016) == "1.6 %"


# --- one round


def test_a_build_beside_itself_is_the_same() -> None:
    verdict = the_median(a_round(some_times(1.0)))

    assert (verdict.word, verdict.reason) == ("same", "")


def test_a_small_true_difference_within_the_budget_is_the_same() -> None:
    assert the_median(a_round(some_times(1.02))).word == "same"


def test_a_direction_must_recur_before_it_counts() -> None:
    found = a_round(some_times(1.2))

    assert wants_another([found])
    verdict = the_median(found)
    assert verdict.word == "inconclusive"
    assert verdict.rounds[0].word == "slower"
    assert "must recur" in verdict.reason


def test_nothing_is_wanted_again_where_nothing_was_seen() -> None:
    assert not wants_another([a_round(some_times(1.0))])
    assert not wants_another([a_round(some_times(1.0, noise=0.5))])


# --- two rounds


def test_slower_in_both_rounds_is_slower() -> None:
    verdict = the_median(
        a_round(some_times(1.2)), a_round(some_times(1.19, seed=2), seed=8)
    )

    assert verdict.word == "slower"
    assert [each.ratio for each in verdict.rounds] == pytest.approx(
        [1.2, 1.19], rel=0.01
    )


def test_faster_in_both_rounds_is_faster() -> None:
    verdict = the_median(a_round(some_times(0.8)), a_round(some_times(0.81, seed=2)))

    assert verdict.word == "faster"


@pytest.mark.parametrize("again", [1.0, 0.8])
def test_what_does_not_recur_does_not_count(again: float) -> None:
    verdict = the_median(a_round(some_times(1.2)), a_round(some_times(again, seed=2)))

    assert verdict.word == "inconclusive"
    assert f"did not recur: x{verdict.rounds[1].ratio:.3f}" in verdict.reason


def test_what_turns_up_in_the_second_round_alone_does_not_count() -> None:
    verdict = the_median(a_round(some_times(1.0)), a_round(some_times(1.2, seed=2)))

    assert verdict.word == "inconclusive"
    assert verdict.reason.startswith("same in round 1, and then not")


def test_two_rounds_are_enough() -> None:
    assert not wants_another([a_round(some_times(1.2)), a_round(some_times(1.0))])


# --- the floor


def test_a_difference_that_the_base_has_to_itself_is_no_difference() -> None:
    itself = some_times(1.15, seed=3)
    noisy = a_round(some_times(1.12), floor=[itself])

    verdict = the_median(noisy, noisy)

    assert verdict.word == "inconclusive"
    assert "does not clear the floor of" in verdict.reason


def test_the_largest_floor_of_any_round_counts_in_all() -> None:
    calm = a_round(some_times(1.12))
    noisy = a_round(some_times(1.12), floor=[some_times(1.15, seed=3)])

    assert the_median(calm, calm).word == "slower"
    assert the_median(calm, noisy).word == "inconclusive"


def test_a_faster_twin_is_a_floor_as_well() -> None:
    noisy = a_round(some_times(1.12), floor=[some_times(1 / 1.15, seed=3)])

    assert the_median(noisy, noisy).word == "inconclusive"


def test_a_machine_that_cannot_hold_the_budget_never_says_same() -> None:
    verdict = the_median(a_round(some_times(1.0), floor=[some_times(1.08, seed=3)]))

    assert verdict.word == "inconclusive"
    assert "the base differs from itself by up to" in verdict.reason


def test_noise_between_queries_is_inconclusive_not_same() -> None:
    verdict = the_median(a_round(some_times(1.0, noise=0.2), floor=[some_times(1.0)]))

    assert verdict.word == "inconclusive"
    assert "not shown to stay there" in verdict.reason


# --- the budget


def test_the_budget_is_the_callers() -> None:
    rounds = a_round(some_times(1.08)), a_round(some_times(1.08, seed=2))

    assert the_median(*rounds, budget=0.05).word == "slower"
    assert the_median(*rounds, budget=0.10).word == "same"


# --- few queries, and several configurations


def test_five_queries_show_nothing_and_say_how_many_would() -> None:
    few = some_times(1.5, queries=5, configuration="lexical+expand")
    verdict = the_median(a_round(few), a_round(few))

    assert verdict.word == "inconclusive"
    assert "5 queries show nothing, it takes 6" in verdict.reason


def test_p_is_corrected_for_the_family() -> None:
    alone = a_round(some_times(1.5, queries=7))
    family = a_round(
        some_times(1.5, queries=7),
        some_times(1.5, queries=7, configuration="lexical"),
        some_times(1.5, queries=7, configuration="semantic"),
        some_times(1.5, queries=7, configuration="lexical+expand"),
    )

    # 2 / 2^7 = 0.0156, and four times that.
    assert the_median(alone, alone).rounds[0].p == pytest.approx(2 / 2**7)
    assert the_median(alone, alone).word == "slower"
    assert the_median(family, family).rounds[0].p == pytest.approx(8 / 2**7)
    assert the_median(family, family).word == "inconclusive"


def test_the_order_of_queries_does_not_matter_to_the_ratio() -> None:
    times = some_times(1.2)
    turned = times.model_copy(update={"queries": times.queries[::-1]})

    one, other = median_ratio(times), median_ratio(turned)

    assert one is not None
    assert other is not None
    assert one.ratio == other.ratio


def test_nothing_timed_has_no_verdict() -> None:
    empty = Times(configuration="hybrid", queries=(), tails=None, rankings_moved=0)
    verdict = the_median(
        Round(twin=None, fresh=True, floor=(), measured=(empty,)),
    )

    assert (verdict.word, verdict.reason) == (None, "no query was timed")


# --- tails


def tails(ratio: float, samples: int, width: float = 0.02) -> Tails:
    bounded = samples >= 2000
    return Tails(
        samples=samples,
        base_p95_ms=5.0,
        candidate_p95_ms=5.0 * ratio,
        ratio=ratio,
        low=ratio - width if bounded else None,
        high=ratio + width if bounded else None,
    )


def the_tail(ratio: float, samples: int) -> LatencyVerdict:
    itself = some_times(1.0, seed=7, tails=tails(1.0, samples))
    found = a_round(some_times(1.0, tails=tails(ratio, samples)), floor=[itself])
    *_, last = judge_latency([found, found])
    assert last.figure == "p95"
    return last


def test_a_tail_of_too_few_samples_is_not_judged_and_says_how_many() -> None:
    verdict = the_tail(2.0, 1999)

    assert verdict.word is None
    assert verdict.reason == "not judged, 1,999 of 2,000 samples"


def test_a_tail_of_enough_samples_is_judged() -> None:
    assert the_tail(2.0, 2000).word == "slower"
    assert the_tail(1.0, 2000).word == "same"
