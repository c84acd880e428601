import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.measure.latency import distribution, nearest_rank


def ranks(count: int) -> list[float]:
    samples = [float(number) for number in range(1, count + 1)]
    return [nearest_rank(samples, percent) for percent in (50, 95, 99)]


def test_indexes_of_39_samples() -> None:
    assert ranks(39) == [20, 38, 39]


def test_indexes_of_5_samples() -> None:
    assert ranks(5) == [3, 5, 5]


def test_indexes_of_100_samples() -> None:
    assert ranks(100) == [50, 95, 99]


def test_percentile_of_one_sample_is_that_sample() -> None:
    assert ranks(1) == [1, 1, 1]


def test_seven_percent_of_a_hundred_is_the_seventh() -> None:
    # In floating point 7 / 100 * 100 is above 7, and its ceiling is 8.
    assert nearest_rank([float(number) for number in range(1, 101)], 7) == 7


def test_zero_percent_is_the_smallest() -> None:
    assert nearest_rank([1.0, 2.0], 0) == 1.0


def test_distribution_of_one_to_a_hundred_milliseconds() -> None:
    got = distribution([number / 1000 for number in range(100, 0, -1)])
    assert got is not None
    assert got.samples == 100
    wanted = {
        "mean_ms": 50.5,
        "p50_ms": 50.0,
        "p95_ms": 95.0,
        "p99_ms": 99.0,
        "min_ms": 1.0,
        "max_ms": 100.0,
    }
    assert got.model_dump(exclude={"samples"}) == pytest.approx(wanted, abs=1e-9)


def test_no_samples_give_no_distribution() -> None:
    assert distribution([]) is None


@given(st.lists(st.floats(0, 10), min_size=1), st.integers(0, 100))
def test_percentile_is_a_sample_that_enough_samples_do_not_exceed(
    samples: list[float], percent: int
) -> None:
    ascending = sorted(samples)
    got = nearest_rank(ascending, percent)
    not_above = sum(sample <= got for sample in ascending)
    assert got in ascending
    assert not_above * 100 >= percent * len(ascending)


@pytest.mark.parametrize(
    ("samples", "told"),
    [(4, (None, None)), (19, (None, None)), (20, (19.0, None)), (100, (95.0, 99.0))],
)
def test_a_percentile_that_is_only_the_slowest_sample_is_not_told(
    samples: int, told: tuple[float | None, float | None]
) -> None:
    found = distribution([number / 1000 for number in range(1, samples + 1)])
    assert found is not None
    assert (found.told_p95_ms, found.told_p99_ms) == told
