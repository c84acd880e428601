"""A whole LongMemEval run of S's size: the client's share, its memory, and the floor.

Every figure of time is a ratio within one recipe. What the machine did is beside it.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.bench import Row
from benchmarks.haystacks import write_haystacks
from benchmarks.words_in_memory import ranked
from harness.dataset.longmemeval.policies import Policies, gold, scored
from harness.dataset.longmemeval.read import read_questions
from harness.dataset.longmemeval.releases import file_facts
from harness.dataset.longmemeval.units import units
from harness.measure.longmemeval.plan import DEPTH, LongMemEvalPlan, Model
from harness.measure.longmemeval.run import Machinery, measure_longmemeval
from harness.measure.metrics import mean_metrics
from harness.measure.official import CUTOFFS, score_question
from harness.measure.progress import SilentProgress
from harness.provider.credentials import Endpoint
from harness.provider.embedder import EndpointEmbedder
from harness.provider.options import EmbeddingOptions
from harness.report.longmemeval import LongMemEvalFacts, Pace
from harness.report.model import Report
from harness.report.store import load
from harness.runtime.embedded import EmbeddedRuntime, palace_setup
from harness.runtime.embedder import EmbedderProcess, EmbedderWish, embedder_setup

QUESTIONS = 100
ALL_QUESTIONS = 500
EMBEDDED_QUESTIONS = 20
"""Enough for the pipeline to be full nearly all the time."""

MOST_MIB = 200
LATENCY_MS = 50
MODEL, DIMENSION = "trigram-384", 384
ASKING = EmbeddingOptions(texts_per_request=4, in_flight=1)
"""One small request at a time: twelve a question, so that at this latency the endpoint
takes longer than the daemon, and whatever it idles is the harness's doing."""
METRICS = ("hit@1", "hit@5", "recall@5", "all@5", "mrr")


def longmemeval(questions: int = QUESTIONS) -> Iterator[Row]:
    """Measure a generated file of *questions* questions, one row after another."""
    with tempfile.TemporaryDirectory(prefix="mhb-") as name:
        # Postgres runs as another account where we are root.
        folder = Path(name)
        folder.chmod(0o755)
        path = folder / "haystacks.json"
        size = write_haystacks(path, questions)
        alone = _commanded(path, folder / "alone")
        yield _client(alone, questions, size)
        yield _memory(alone)
        yield _floor(alone, path)
        few = min(questions, QUESTIONS)
        two = _commanded(path, folder / "two", "--limit", str(few), "--workers", "2")
        yield _workers(alone, two)
        yield _endpoint(path, folder)


@dataclass(frozen=True)
class Commanded:
    """One ``harness longmemeval``, and what it took."""

    report: Report
    wall_s: float
    """Of the whole command, Python's own start included."""
    peak_mib: float | None
    """Most memory of the harness's process alone; none where nobody tells."""

    @property
    def facts(self) -> LongMemEvalFacts:
        """What only such a report has."""
        assert self.report.longmemeval is not None
        return self.report.longmemeval

    @property
    def pace(self) -> Pace:
        """Where its time went."""
        return self.facts.pace


def _commanded(path: Path, folder: Path, *options: str) -> Commanded:
    folder.mkdir()
    report = folder / "report.json"
    command = [sys.executable, "-m", "harness", "longmemeval", str(path)]
    began = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--runtime", "embedded", "--out", str(report), *options],
        stdout=subprocess.DEVNULL,
        env=_without_endpoint(),
    )
    peak = None
    while process.poll() is None:
        peak = _peak_mib(process.pid) or peak
        time.sleep(0.1)  # between looks at its memory
    wall = time.perf_counter() - began
    if process.returncode:
        raise SystemExit(process.returncode)
    return Commanded(load(report), wall, peak)


def _without_endpoint() -> Mapping[str, str]:
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("EVAL_")
    }


def _peak_mib(pid: int) -> float | None:
    """Read what the kernel keeps: the peak, so that looking rarely misses nothing."""
    with suppress(OSError):
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
        if found := re.search(r"VmHWM:\s+(\d+) kB", status):
            return int(found[1]) / 1024
    return None


def _client(alone: Commanded, questions: int, size: int) -> Row:
    pace = alone.pace
    ratio = alone.wall_s / pace.daemon_s
    phases = ", ".join(f"{name} {took:.1f}" for name, took in pace.phases.items())
    start = sum(each.seconds for each in alone.report.phases[:-1])
    return Row(
        f"LongMemEval by words, {questions} questions ({size / 1e6:.0f} MB), "
        f"{pace.questions_per_minute or 0:.0f} questions a minute; "
        f"starting {start:.1f} s; by phase in s: {phases}",
        f"whole command {alone.wall_s:.1f} s",
        f"the daemon's own work {pace.daemon_s:.1f} s",
        ratio,
        "at most 1.3",
        ratio <= 1.3,
    )


def _memory(alone: Commanded) -> Row:
    peak = alone.peak_mib
    return Row(
        "most memory of the harness's process over that run",
        "not told here" if peak is None else f"{peak:.0f} MiB",
        f"{MOST_MIB} MiB",
        (peak or 0.0) / MOST_MIB,
        f"under {MOST_MIB} MiB",
        peak is not None and peak < MOST_MIB,
    )


def _floor(alone: Commanded, path: Path) -> Row:
    policies = Policies()
    took, scores = 0.0, []
    for question in read_questions(path):
        if not scored(question, policies):
            continue
        documents = [each for each in units(question, policies) if not each.is_blank]
        began = time.perf_counter()
        places = ranked([each.text for each in documents], question.text, DEPTH)
        took += time.perf_counter() - began
        names = dict.fromkeys(documents[place].scored_as for place in places)
        scores.append(score_question(list(names), gold(question, policies), CUTOFFS))
    floor = mean_metrics(scores)
    (ours,) = alone.report.configurations
    beside = ", ".join(
        f"{name} {ours.metrics[name]:.3f} against {floor[name]:.3f}" for name in METRICS
    )
    daemon_s = alone.pace.daemon_s * len(scores) / alone.facts.counts.asked
    return Row(
        f"the same questions by BM25 in arrays of this process; {beside}",
        f"daemon, over HTTP and into Postgres {daemon_s:.1f} s",
        f"in memory {took:.1f} s",
        daemon_s / took,
    )


def _workers(alone: Commanded, two: Commanded) -> Row:
    one_rate = alone.pace.questions_per_minute or 0.0
    two_rate = two.pace.questions_per_minute or 0.0
    cores = len(os.sched_getaffinity(0))
    return Row(
        f"two workers against one, {cores} cores for all of it",
        f"{two_rate:.0f} questions a minute",
        f"{one_rate:.0f}",
        two_rate / one_rate,
    )


def _endpoint(path: Path, folder: Path) -> Row:
    """Measure with vectors of an endpoint that takes its time over each request."""
    wish = EmbedderWish(
        model=MODEL,
        dimension=DIMENSION,
        settings={"EMBEDDER_LATENCY_MS": str(LATENCY_MS)},
    )
    process = EmbedderProcess(embedder_setup(wish), folder)
    try:
        endpoint = Endpoint(url=process.running.url, model=MODEL)
        with EndpointEmbedder(endpoint, ASKING) as embedder:
            report = _embedded(path, folder, embedder)
            counts = embedder.counts
    finally:
        process.stop()
    assert report.longmemeval is not None
    pace = report.longmemeval.pace
    # From the first question's first request: starting the daemon lies before it.
    busy = counts.busy_s / pace.wall_s
    return Row(
        f"{EMBEDDED_QUESTIONS} questions with vectors of an endpoint of "
        f"{LATENCY_MS} ms, {counts.requests} requests one by one; the daemon was busy "
        f"{100 * (pace.daemon_share or 0):.0f} % of the time",
        f"with a request under way {counts.busy_s:.1f} s",
        f"first question to last {pace.wall_s:.1f} s",
        busy,
        "at least 0.90",
        busy >= 0.9,
    )


def _embedded(path: Path, folder: Path, embedder: EndpointEmbedder) -> Report:
    profile = {
        "name": "bench",
        "dimension": embedder.dimension,
        "external": True,
        "default": True,
    }
    settings = {
        "PALACE_LEXICAL_STATISTICS": "scope",
        "PALACE_PROFILES": json.dumps([profile]),
    }
    setup = replace(palace_setup("release"), settings=settings)
    plan = LongMemEvalPlan(
        path=path,
        file=file_facts(path),
        questions=EMBEDDED_QUESTIONS,
        limit=EMBEDDED_QUESTIONS,
        model=Model(
            name=embedder.model,
            dimension=embedder.dimension,
            oversize=embedder.oversize,
        ),
    )
    machinery = Machinery(
        runtime=EmbeddedRuntime("release", setup=setup),
        progress=SilentProgress(),
        embedder=embedder,
    )
    return measure_longmemeval(plan, folder / "embedded.jsonl", machinery)
