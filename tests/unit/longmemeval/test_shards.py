"""A run spread over workers: who asks what, what is left, and one report of it all."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import DaemonDiedError, PrerequisiteError, UsageError
from harness.measure.longmemeval.family import (
    Tail,
    forget,
    journals_of,
    left_to_ask,
    questions_in,
    shard_journal,
)
from harness.measure.longmemeval.journal import Warn, opened, read_journal
from harness.measure.longmemeval.plan import LongMemEvalPlan
from harness.measure.longmemeval.run import measure_longmemeval, run_shard
from harness.measure.longmemeval.shards import (
    Job,
    Shard,
    Spread,
    measure_spread,
    shares,
)
from harness.measure.progress import Advance, SilentProgress
from harness.provider.counts import Counts
from harness.report.model import Report
from harness.report.quality import quality_json
from harness.runtime.choice import Wish
from tests.fake_palace import FakePalace, refusal
from tests.haystack_runs import (
    WordEmbedder,
    a_file,
    a_palace,
    a_plan,
    facts_of,
    machinery,
)
from tests.haystacks import an_entry

QUESTIONS = 7


@pytest.fixture
def plan(tmp_path: Path) -> LongMemEvalPlan:
    return a_plan(a_file(tmp_path, *(an_entry(f"q{n}") for n in range(QUESTIONS))))


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "run.journal.jsonl"


class InProcess:
    """Asks every shard at once, each with a fake daemon of its own."""

    def __init__(self, *palaces: FakePalace, embeds: bool = False) -> None:
        self.palaces = list(palaces)
        self.embeds = embeds
        self.asked: dict[int, tuple[int, ...]] = {}

    def __call__(
        self, shards: Sequence[Shard], journal: Path, advance: Advance, warn: Warn
    ) -> None:
        del warn
        for shard in shards:
            self.asked[shard.number] = shard.indices
            palace = self.palaces.pop() if self.palaces else a_palace()
            job = Job(shard, shard_journal(journal, shard.number))
            embedder = WordEmbedder() if self.embeds else None
            job.run(machinery(palace, embedder, workers=shard.spread.workers))
            advance(len(shard.indices))


def spread_over(
    plan: LongMemEvalPlan,
    workers: int,
    journal: Path,
    ask: InProcess,
    probed: Counts | None = None,
) -> Report:
    spread = Spread(plan=plan, workers=workers, wish=Wish(), probed=probed)
    told: list[str] = []
    return measure_spread(spread, journal, ask, SilentProgress(), told.append)


def alone(plan: LongMemEvalPlan) -> Report:
    journal = plan.path.with_suffix(".alone.jsonl")
    return measure_longmemeval(plan, journal, machinery(a_palace()))


def quality(report: Report) -> bytes:
    return quality_json(report, evidence=True)


@given(st.frozensets(st.integers(0, 60)), st.integers(1, 9))
def test_every_question_goes_to_one_worker_and_always_to_the_same(
    pending: frozenset[int], workers: int
) -> None:
    split = shares(pending, workers)
    assert sorted(index for share in split for index in share) == sorted(pending)
    assert all(
        index % workers == number
        for number, share in enumerate(split)
        for index in share
    )
    assert all(list(share) == sorted(share) for share in split)


@pytest.mark.parametrize("workers", [1, 2, 3, 10])
def test_any_number_of_workers_gives_the_report_of_one(
    plan: LongMemEvalPlan, journal: Path, workers: int
) -> None:
    ask = InProcess()
    spread = spread_over(plan, workers, journal, ask)

    assert quality(spread) == quality(alone(plan))
    assert len(ask.asked) == min(workers, QUESTIONS)
    assert "resumed" not in [each.code for each in spread.warnings]


def test_a_spread_run_goes_on_with_another_number_of_workers(
    plan: LongMemEvalPlan, journal: Path
) -> None:
    run_shard(plan, [0, 3, 6], journal, machinery(a_palace()))
    run_shard(plan, [1], shard_journal(journal, 4), machinery(a_palace(), workers=4))
    ask = InProcess()
    report = spread_over(plan, 2, journal, ask)

    assert ask.asked == {1: (2, 4), 2: (5,)}
    assert quality(report) == quality(alone(plan))


def test_one_worker_alone_goes_on_from_the_journals_of_several(
    plan: LongMemEvalPlan, journal: Path
) -> None:
    run_shard(plan, [1, 3, 5], shard_journal(journal, 2), machinery(a_palace()))
    palace = a_palace()
    report = measure_longmemeval(plan, journal, machinery(palace))

    assert len(palace.sent("POST", "/search")) == QUESTIONS - 3
    assert quality(report) == quality(alone(plan))


def test_a_question_that_failed_is_asked_again_by_whoever_has_it_now(
    plan: LongMemEvalPlan, journal: Path
) -> None:
    palace = a_palace()
    palace.faults["POST", "/api/search"] = lambda: refusal(503, "busy", "busy")
    run_shard(plan, [0, 1, 2], journal, machinery(palace))
    assert left_to_ask(plan, journal) == frozenset(range(QUESTIONS))

    report = spread_over(plan, 2, journal, InProcess())
    assert report.longmemeval is not None
    assert report.longmemeval.errors == ()
    assert quality(report) == quality(alone(plan))


def test_what_the_others_did_is_kept_when_one_worker_fails(
    plan: LongMemEvalPlan, journal: Path
) -> None:
    ask = InProcess()

    def failing(
        shards: Sequence[Shard], journal: Path, advance: Advance, warn: Warn
    ) -> None:
        ask(shards[:1], journal, advance, warn)
        raise DaemonDiedError("the daemon ended.")

    spread = Spread(plan=plan, workers=2, wish=Wish())
    with pytest.raises(DaemonDiedError):
        measure_spread(spread, journal, failing, SilentProgress(), lambda _text: None)

    assert left_to_ask(plan, journal) == {1, 3, 5}
    again = InProcess()
    report = spread_over(plan, 2, journal, again)
    assert again.asked == {2: (1, 3, 5)}
    assert quality(report) == quality(alone(plan))


def test_one_store_cannot_be_spread(plan: LongMemEvalPlan, journal: Path) -> None:
    shared = a_plan(plan.path, isolation="shared")
    with pytest.raises(UsageError, match="2 workers have 2 stores"):
        spread_over(shared, 2, journal, InProcess())


def test_haystacks_that_move_each_others_scores_cannot_be_spread(
    plan: LongMemEvalPlan, journal: Path
) -> None:
    unscoped = InProcess(a_palace("lexical.scoped"), a_palace("lexical.scoped"))
    with pytest.raises(PrerequisiteError, match="cannot be spread over workers"):
        spread_over(plan, 2, journal, unscoped)


def test_a_shards_journal_of_another_run_is_refused(
    plan: LongMemEvalPlan, journal: Path
) -> None:
    other = a_plan(plan.path, limit=2)
    run_shard(other, [0], shard_journal(journal, 1), machinery(a_palace()))
    with pytest.raises(UsageError, match="of another run: its questions is 2"):
        spread_over(plan, 2, journal, InProcess())


def test_two_runs_do_not_spread_into_the_same_journals(
    plan: LongMemEvalPlan, journal: Path
) -> None:
    with (
        opened(journal, plan.fingerprint(), print),
        pytest.raises(UsageError, match="another run is writing"),
    ):
        spread_over(plan, 2, journal, InProcess())


def test_the_journals_of_a_run_are_found_and_forgotten_together(tmp_path: Path) -> None:
    journal = tmp_path / "a+b.journal.jsonl"
    ours = [journal, shard_journal(journal, 2), shard_journal(journal, 10)]
    others = [
        tmp_path / "aab.journal.shard-1.jsonl",
        tmp_path / "a+b.journal.shard-x.jsonl",
    ]
    for path in (*ours, *others):
        path.write_text("x")

    assert journals_of(journal) == ours
    forget(journal)
    assert sorted(tmp_path.iterdir()) == sorted(others)


def test_an_empty_journal_is_no_journal_of_a_run(tmp_path: Path) -> None:
    journal = tmp_path / "run.jsonl"
    journal.touch()
    assert journals_of(journal) == [journal]
    shard_journal(journal, 1).write_text("x")
    assert journals_of(journal) == [shard_journal(journal, 1)]


def test_only_whole_lines_are_heard_of_and_a_torn_one_is_heard_again(
    tmp_path: Path,
) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(b'{"kind":"header"}\n{"kind":"ques')
    tail = Tail(path)
    assert tail.lines() == b""
    path.write_bytes(b'{"kind":"header"}\n{"kind":"question"}\n{"kind":"start"}\n{"k')

    lines = tail.lines()
    assert lines == b'{"kind":"question"}\n{"kind":"start"}\n'
    assert questions_in(lines) == 1
    assert tail.lines() == b""


def moved(path: Path) -> None:
    path.rename(path.with_name("elsewhere.json"))


def changed(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\n")


@pytest.mark.parametrize(
    ("happens", "says"), [(moved, "does not see the data file"), (changed, "SHA-256")]
)
def test_a_worker_that_sees_another_file_says_so(
    plan: LongMemEvalPlan, journal: Path, happens: Callable[[Path], None], says: str
) -> None:
    happens(plan.path)
    with pytest.raises(PrerequisiteError, match=says) as caught:
        spread_over(plan, 2, journal, InProcess())
    assert caught.value.where == str(plan.path)
    if happens is changed:
        assert plan.file.sha256 in caught.value.what
        found = hashlib.sha256(plan.path.read_bytes()).hexdigest()
        assert found in caught.value.what


def test_each_worker_writes_a_journal_of_its_own(
    plan: LongMemEvalPlan, journal: Path
) -> None:
    spread_over(plan, 2, journal, InProcess())
    held = {path.name: set(read_journal(path).records) for path in journals_of(journal)}
    assert held == {
        "run.journal.shard-1.jsonl": {0, 2, 4, 6},
        "run.journal.shard-2.jsonl": {1, 3, 5},
    }


def test_what_the_run_itself_asked_of_an_endpoint_is_counted_once(
    plan: LongMemEvalPlan, journal: Path
) -> None:
    plan = a_plan(plan.path, embedder=WordEmbedder())
    # A probe that was let in the third time.
    probed = Counts(requests=3, retries=2, waited_s=0.5, tokens_billed=6)
    report = spread_over(plan, 2, journal, InProcess(embeds=True), probed)

    found = facts_of(report).embedding
    assert found is not None
    # And one for each question, of three sessions and itself.
    assert (found.requests, found.retries) == (QUESTIONS + 3, 2)
    assert (found.texts, found.tokens_billed) == (QUESTIONS * 4, 6)
    assert found.waited_s == 0.5


def test_each_start_counts_its_own_probe(plan: LongMemEvalPlan, journal: Path) -> None:
    plan = a_plan(plan.path, embedder=WordEmbedder())
    probed = Counts(requests=1)
    failing = a_palace()
    failing.faults["POST", "/api/search"] = lambda: refusal(503, "busy", "busy")
    # The first worker is given the last of these.
    first = spread_over(
        plan, 2, journal, InProcess(a_palace(), failing, embeds=True), probed
    )
    assert len({each.question for each in facts_of(first).errors}) == 4
    report = spread_over(plan, 2, journal, InProcess(embeds=True), probed)

    found = facts_of(report).embedding
    assert found is not None
    assert found.requests == QUESTIONS + 1 + 4 + 1


def test_a_run_without_a_model_notes_no_probe(
    plan: LongMemEvalPlan, journal: Path
) -> None:
    report = spread_over(plan, 2, journal, InProcess())
    assert facts_of(report).embedding is None
