"""Small whole reports, with defaults for everything a test does not speak of."""

from collections.abc import Mapping, Sequence

from harness.report.model import (
    BuildFacts,
    Caution,
    ClientFloor,
    ConfigurationResult,
    DaemonFacts,
    DatasetFacts,
    Distribution,
    Environment,
    HarnessFacts,
    HostFacts,
    Invariant,
    Latency,
    Parameters,
    Phase,
    Ranking,
    Report,
    ScoredHit,
    Seeding,
    Violation,
)

SHA256 = "4f" * 32
METRICS = ("recall@5", "recall@10", "precision@5", "ndcg@10", "hit@5", "mrr")
RANKINGS = {
    "lexical": "lexical",
    "semantic": "semantic",
    "hybrid": "hybrid",
    "lexical+expand": "lexical",
}


def some_metrics(value: float = 0.8, **changed: float) -> dict[str, float]:
    """Give every metric of the tables *value*; ``recall_5=0.5`` sets ``recall@5``."""
    metrics = dict.fromkeys(METRICS, value)
    metrics |= {name.replace("_", "@"): number for name, number in changed.items()}
    return metrics


def a_ranking(
    query: str = "q1",
    documents: Sequence[str] = ("d1", "d2"),
    *,
    category: str = "lexical",
    plan: str | None = None,
) -> Ranking:
    """Rank *documents* with scores that fall from 1.0."""
    return Ranking(
        query=query,
        category=category,
        metrics=some_metrics(),
        hits=tuple(
            ScoredHit(document=document, score=1.0 / rank)
            for rank, document in enumerate(documents, start=1)
        ),
        plan=plan,
    )


def a_distribution(p50_ms: float = 2.0, *, samples: int = 10) -> Distribution:
    """Spread samples around *p50_ms* in a fixed proportion."""
    return Distribution(
        samples=samples,
        mean_ms=p50_ms * 1.1,
        p50_ms=p50_ms,
        p95_ms=p50_ms * 2,
        p99_ms=p50_ms * 3,
        min_ms=p50_ms / 2,
        max_ms=p50_ms * 4,
    )


def a_latency(p50_ms: float = 2.0, *, samples: int = 10) -> Latency:
    """Time searches at *p50_ms*, with a client that adds half a millisecond."""
    return Latency(
        service=a_distribution(p50_ms, samples=samples),
        first_byte=a_distribution(p50_ms * 0.9, samples=samples),
        round_trip=a_distribution(p50_ms + 0.5, samples=samples),
        queries_per_second=1000 / (p50_ms + 0.5),
    )


def a_configuration(
    name: str = "lexical",
    *,
    metrics: Mapping[str, float] | None = None,
    by_category: Mapping[str, Mapping[str, float]] | None = None,
    queries: int | None = None,
    category_queries: Mapping[str, int] | None = None,
    rankings: Sequence[Ranking] = (),
    latency: Latency | None = None,
) -> ConfigurationResult:
    """Measure one configuration; its categories share the queries by default.

    There are two queries, or as many as there are rankings.
    """
    categories = {"lexical": some_metrics()} if by_category is None else by_category
    if queries is None:
        queries = len(rankings) or 2
    shared = {
        category: len(range(place, queries, len(categories)))
        for place, category in enumerate(categories)
    }
    return ConfigurationResult.model_validate(
        {
            "name": name,
            "ranking": RANKINGS[name],
            "expand": name.endswith("+expand"),
            "queries": queries,
            "metrics": some_metrics() if metrics is None else metrics,
            "by_category": categories,
            "category_queries": shared
            if category_queries is None
            else category_queries,
            "latency": latency,
            "rankings": tuple(rankings),
        }
    )


def some_invariants(
    *, checked: int = 20, violations: Sequence[Violation] = ()
) -> tuple[Invariant, ...]:
    """Check every invariant; *violations* go to the visible one."""
    return (
        Invariant(name="known", checked=checked, violations=()),
        Invariant(name="in_scope", checked=checked, violations=()),
        Invariant(name="visible", checked=checked, violations=tuple(violations)),
        Invariant(name="repeatable", checked=checked, violations=()),
    )


def a_violation(document: str = "d9") -> Violation:
    """Show *document* although a correction had replaced it."""
    return Violation(
        configuration="lexical",
        query="q1",
        rank=3,
        document=document,
        reason="superseded in epoch 1, asked of the present",
    )


def a_report(*configurations: ConfigurationResult, **changed: object) -> Report:
    """Build a report of *configurations* (one by default); *changed* are its fields."""
    fields: dict[str, object] = {
        "created_at": "2026-11-30T12:00:00Z",
        "harness": HarnessFacts(version="0.1.0", commit="0123456789abcdef"),
        "daemon": DaemonFacts(
            name="palace",
            version="0.1.0",
            build=BuildFacts(name="debug", evidence={"assertions": True}),
        ),
        "dataset": a_dataset(),
        "environment": an_environment(),
        "parameters": some_parameters(),
        "seeding": Seeding(
            documents=12,
            filler=0,
            corrections=2,
            mentions=3,
            method="batch",
            verified=8,
            documents_per_second=480.0,
            write_s=0.025,
        ),
        "configurations": configurations or (a_configuration(),),
        "client_floor": ClientFloor(
            service=a_distribution(0.3), round_trip=a_distribution(0.7)
        ),
        "invariants": some_invariants(),
        "discrimination": (),
        "warnings": (),
        "phases": (Phase(name="seed", seconds=0.5),),
    }
    return Report.model_validate({**fields, **changed})


def a_dataset(
    name: str = "small", sha256: str = SHA256, version: int = 1, queries: int = 2
) -> DatasetFacts:
    """Name a data set of twelve documents."""
    return DatasetFacts(
        name=name, version=version, sha256=sha256, documents=12, queries=queries
    )


def an_environment(**changed: object) -> Environment:
    """Run embedded, with vectors that the harness supplies."""
    fields: dict[str, object] = {
        "runtime": "embedded",
        "runtime_reason": "no container engine answers on this machine",
        "vectors": "fixture: hashed bag of concepts, 768-d, supplied by the harness",
        "profile": "standin",
        "embedding_provider": "none",
        "embedding_model": None,
        "backend": "postgres",
        "postgres": "18.6",
        "pgvector": "0.8.6",
        "settings": {"shared_buffers": "128MB"},
        "host": HostFacts(
            cpu="A processor",
            cores=2,
            memory_bytes=8 * 1024**3,
            kernel="6.1",
            python="3.11.7",
        ),
    }
    return Environment.model_validate({**fields, **changed})


def some_parameters(**changed: object) -> Parameters:
    """Ask for ten, once for the score and five times for the clock."""
    fields: dict[str, object] = {
        "cutoffs": (1, 3, 5, 10),
        "limit": 10,
        "repetitions": 5,
        "scale": 0,
        "ndcg_gain": "2^grade - 1",
    }
    return Parameters.model_validate({**fields, **changed})


def a_caution(
    text: str = "The palace was not empty.", code: str = "nonempty"
) -> Caution:
    """Warn of something."""
    return Caution(code=code, text=text, remedy="Start an empty one.")


def a_public_report(**changed: object) -> dict[str, object]:
    """Write a small report as MemCastle would."""
    return {
        "schema_version": 1,
        "memcastle_version": "0.3.0",
        "dataset": {
            "name": "small",
            "version": 1,
            "sha256": "4f" * 32,
            "documents": 12,
            "queries": 2,
        },
        "environment": {
            "vectors": "fixture",
            "embedding_provider": "none",
            "embedding_model": None,
            "backend": "embedded",
        },
        "parameters": {"ks": [1, 10], "limit": 10, "repetitions": 5, "scale": 0},
        "ingest": {"documents": 12, "documents_per_second": 90.5},
        "runs": [
            {
                "name": "lexical",
                "ranking": "lexical",
                "expand": False,
                "queries": 2,
                "metrics": {"mrr": 0.5},
                "by_category": {"graph": {"mrr": 0.5}},
                "latency": {"samples": 10, "p50_ms": 1.5},
            }
        ],
    } | changed
