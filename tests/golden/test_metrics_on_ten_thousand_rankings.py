"""Our metrics against trec_eval's on 10,000 random rankings, wherever both define them.

trec_eval is given ranks and not scores: it keeps scores as float32 and breaks ties by
id. Its gain is the grade, so the other gain is had by rewriting the grades. It is asked
for every query, those without a hit included, which count as 0 here as with its ``-c``.
"""

from random import Random

import pytrec_eval

from harness.measure.metrics import score_ranking

QUERIES = 10_000
CUTOFFS = (1, 3, 5, 10, 20)
AT = ",".join(map(str, CUTOFFS))
CLOSE = 1e-12

OURS = {
    "recall": "recall_{}",
    "precision": "P_{}",
    "hit": "success_{}",
    "ndcg_linear": "ndcg_cut_{}",
}

Case = tuple[list[str], dict[str, int]]


def some_cases() -> dict[str, Case]:
    """Rank 0 to 30 of 60 documents, and judge 1 to 15 of them with grades 1 to 4."""
    random = Random(20_261)
    pool = [f"d{number:02}" for number in range(60)]
    return {
        f"q{number}": (
            random.sample(pool, random.randint(0, 30)),
            {
                document: random.randint(1, 4)
                for document in random.sample(pool, random.randint(1, 15))
            },
        )
        for number in range(QUERIES)
    }


def by_trec_eval(
    cases: dict[str, Case], measures: set[str], *, exponential: bool = False
) -> dict[str, dict[str, float]]:
    qrels = {
        query: {
            document: 2**grade - 1 if exponential else grade
            for document, grade in grades.items()
        }
        for query, (_, grades) in cases.items()
    }
    run = {
        query: {document: -float(rank) for rank, document in enumerate(ranking)}
        for query, (ranking, _) in cases.items()
    }
    scores: dict[str, dict[str, float]] = pytrec_eval.RelevanceEvaluator(
        qrels, measures
    ).evaluate(run)
    return scores


def test_metrics_agree_on_ten_thousand_graded_rankings() -> None:
    cases = some_cases()
    names = {"recall", "P", "success", "ndcg_cut"}
    linear = by_trec_eval(cases, {f"{name}.{AT}" for name in names} | {"recip_rank"})
    exponential = by_trec_eval(cases, {f"ndcg_cut.{AT}"}, exponential=True)

    compared = 0
    for query, (ranking, grades) in cases.items():
        got = score_ranking(ranking, grades, CUTOFFS)
        wanted = {"mrr": linear.get(query, {}).get("recip_rank", 0.0)}
        for cutoff in CUTOFFS:
            for name, theirs in OURS.items():
                oracle = linear.get(query, {}).get(theirs.format(cutoff), 0.0)
                wanted[f"{name}@{cutoff}"] = oracle
            oracle = exponential.get(query, {}).get(f"ndcg_cut_{cutoff}", 0.0)
            wanted[f"ndcg@{cutoff}"] = oracle
        compared += len(wanted)
        apart = [name for name in wanted if abs(got[name] - wanted[name]) > CLOSE]
        assert apart == [], query

    assert compared == QUERIES * (1 + 5 * len(CUTOFFS))


def test_the_rankings_hold_what_could_go_wrong() -> None:
    cases = some_cases()
    found = [
        sum(document in grades for document in ranking)
        for ranking, grades in cases.values()
    ]
    assert sum(not ranking for ranking, _ in cases.values()) > 100
    assert sum(count == 0 for count in found) > 500
    assert sum(count > 5 for count in found) > 500
