"""Our metrics against trec_eval's, on random rankings.

trec_eval sorts a run by score and breaks ties by id; giving it falling scores by rank
makes it judge exactly the order that we judge.
"""

from random import Random

import pytest
import pytrec_eval

from harness.measure.metrics import score_ranking

CUTOFFS = (1, 3, 5, 10)
QUERIES = 200


def a_query(seed: int) -> tuple[list[str], dict[str, int]]:
    """Make a ranking of 0 to 20 documents and 1 to 12 judgments, some not found."""
    random = Random(seed)
    pool = [f"d{number:02}" for number in range(30)]
    ranking = random.sample(pool, random.randint(0, 20))
    judged = random.sample(pool, random.randint(1, 12))
    return ranking, {document: random.choice((1, 2, 3)) for document in judged}


CASES = {f"q{seed}": a_query(seed) for seed in range(QUERIES)}


def by_trec_eval(
    measure: str, *, exponential: bool = False
) -> dict[str, dict[str, float]]:
    """Score every case with trec_eval; a query without hits scores 0."""
    qrels = {
        query: {
            document: 2**grade - 1 if exponential else grade
            for document, grade in grades.items()
        }
        for query, (_, grades) in CASES.items()
    }
    run = {
        query: {document: -float(rank) for rank, document in enumerate(ranking)}
        for query, (ranking, _) in CASES.items()
    }
    scores: dict[str, dict[str, float]] = pytrec_eval.RelevanceEvaluator(
        qrels, {measure}
    ).evaluate(run)
    return scores


NAMES = {
    "recall": ("recall", "recall_{}", False),
    "precision": ("P", "P_{}", False),
    "hit": ("success", "success_{}", False),
    "ndcg_linear": ("ndcg_cut", "ndcg_cut_{}", False),
    "ndcg": ("ndcg_cut", "ndcg_cut_{}", True),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("cutoff", CUTOFFS)
def test_metric_is_trec_evals(name: str, cutoff: int) -> None:
    measure, key, exponential = NAMES[name]
    wanted = by_trec_eval(f"{measure}.{cutoff}", exponential=exponential)
    for query, (ranking, grades) in CASES.items():
        got = score_ranking(ranking, grades, CUTOFFS)[f"{name}@{cutoff}"]
        oracle = wanted.get(query, {}).get(key.format(cutoff), 0.0)
        assert got == pytest.approx(oracle, abs=1e-12), query


def test_mrr_is_trec_evals_reciprocal_rank() -> None:
    wanted = by_trec_eval("recip_rank")
    for query, (ranking, grades) in CASES.items():
        got = score_ranking(ranking, grades, CUTOFFS)["mrr"]
        oracle = wanted.get(query, {}).get("recip_rank", 0.0)
        assert got == pytest.approx(oracle, abs=1e-12), query


def test_cases_hold_misses_empty_rankings_and_every_grade() -> None:
    rankings = [ranking for ranking, _ in CASES.values()]
    grades = {grade for _, judged in CASES.values() for grade in judged.values()}
    assert [] in rankings
    assert grades == {1, 2, 3}
    assert any(not set(ranking) & set(judged) for ranking, judged in CASES.values())
