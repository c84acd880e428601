"""Shards on a cluster: bound to workers, heard of in pieces, and gone on with."""

import pickle
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from harness.errors import (
    DaemonDiedError,
    ExitCode,
    HarnessError,
    PrerequisiteError,
    UsageError,
)
from harness.measure.longmemeval.cluster_client import Future
from harness.measure.longmemeval.crew import Ending, as_plain
from harness.measure.longmemeval.family import shard_journal
from harness.measure.longmemeval.plan import LongMemEvalPlan
from harness.measure.longmemeval.scheduler import (
    INSTALL,
    LOSSES,
    Asking,
    Cluster,
    connected,
)
from harness.measure.longmemeval.shards import Shard, Spread, shares
from harness.provider.failures import TextsRefusedError
from harness.runtime.choice import Wish
from tests.haystack_runs import a_file, a_plan
from tests.haystacks import an_entry

LINE = b'{"kind":"question"}\n'


class FakeFuture:
    def __init__(self) -> None:
        self.status = "pending"
        self.outcome: Any = None

    def result(self, timeout: float) -> bytes:  # noqa: ARG002 - the protocol's words
        whole: bytes = self.outcome
        return whole

    def exception(self, timeout: float) -> BaseException:  # noqa: ARG002 - as above
        error: BaseException = self.outcome
        return error


class Task:
    """What was submitted, for a test to let it do things."""

    def __init__(self, client: "FakeClient", args: Sequence[Any], worker: str) -> None:
        self.shard, self.state, self.topic = args
        self.worker = worker
        self.key = ""
        self.future = FakeFuture()
        self._client = client
        self._start = len(self.state)

    def tell(self, lines: bytes, *, ended: bool = False, gap: int = 0) -> None:
        start = self._start + gap
        message = {"key": self.key, "start": start, "lines": lines, "ended": ended}
        self._client.handlers[self.topic]((0.0, message))
        self._start += len(lines)

    def finish(self, whole: bytes) -> None:
        self.future.outcome = whole
        self.future.status = "finished"

    def fail(self, error: BaseException) -> None:
        self.future.outcome = error
        self.future.status = "error"


class FakeClient:
    def __init__(self, *workers: str) -> None:
        self.workers = list(workers)
        self.tasks: list[Task] = []
        self.cancelled: list[Future] = []
        self.handlers: dict[str, Callable[[tuple[float, object]], None]] = {}
        self.submitted: Callable[[Task], None] = lambda _task: None

    def nthreads(self) -> Mapping[str, int]:
        return dict.fromkeys(self.workers, 1)

    def submit(
        self,
        func: Callable[..., bytes],  # noqa: ARG002 - the protocol's words
        *args: object,
        workers: Sequence[str],
        pure: bool,  # noqa: ARG002 - as above
        key: str,
    ) -> Future:
        pickle.loads(pickle.dumps(args))  # it travels
        (worker,) = workers
        task = Task(self, args, worker)
        task.key = key
        self.tasks.append(task)
        self.submitted(task)
        return task.future

    def cancel(self, futures: Sequence[Future], *, force: bool) -> None:  # noqa: ARG002 - as above
        self.cancelled += futures

    def subscribe_topic(
        self, topic: str, handler: Callable[[tuple[float, object]], None]
    ) -> None:
        self.handlers[topic] = handler


@pytest.fixture
def plan(tmp_path: Path) -> LongMemEvalPlan:
    return a_plan(a_file(tmp_path, *(an_entry(f"q{n}") for n in range(4))))


def shards_of(plan: LongMemEvalPlan, workers: int) -> list[Shard]:
    spread = Spread(plan=plan, workers=workers, wish=Wish())
    split = shares(frozenset(range(plan.questions)), workers)
    return [Shard(spread, number, each) for number, each in enumerate(split, start=1)]


class Run:
    """A run on a cluster of fakes; each pause takes one step of the story."""

    def __init__(
        self, client: FakeClient, journal: Path, story: Iterator[None]
    ) -> None:
        self.client, self.journal = client, journal
        self.advanced: list[int] = []
        self.warned: list[str] = []
        self._story = story

    def ask(self, shards: Sequence[Shard]) -> None:
        asking = Asking(
            Cluster("tcp://fake", self.client),
            self.journal,
            self.advanced.append,
            self.warned.append,
            pause=lambda _seconds: next(self._story),
        )
        asking.ask(shards)

    def held(self, number: int) -> bytes:
        return shard_journal(self.journal, number).read_bytes()


def test_each_shard_is_bound_to_a_worker_of_its_own_and_comes_back(
    plan: LongMemEvalPlan, tmp_path: Path
) -> None:
    client = FakeClient("a", "b")

    def story() -> Iterator[None]:
        one, two = client.tasks
        one.tell(LINE)
        yield
        one.tell(LINE)
        two.finish(LINE * 3)
        yield
        one.finish(LINE * 2)
        yield

    run = Run(client, tmp_path / "run.jsonl", story())
    run.ask(shards_of(plan, 2))

    assert [(task.shard.number, task.worker) for task in client.tasks] == [
        (1, "a"),
        (2, "b"),
    ]
    assert (run.held(1), run.held(2)) == (LINE * 2, LINE * 3)
    assert sum(run.advanced) == 5
    assert client.cancelled == []


def test_a_shard_whose_worker_is_lost_goes_on_elsewhere_from_what_came_back(
    plan: LongMemEvalPlan, tmp_path: Path
) -> None:
    client = FakeClient("a", "b", "c")

    def story() -> Iterator[None]:
        one, two = client.tasks
        one.tell(LINE)
        client.workers.remove("a")
        yield
        again = client.tasks[2]
        one.tell(LINE)  # late news of an attempt that was given up
        two.finish(LINE)
        yield
        again.tell(LINE)
        again.finish(LINE * 2)
        yield

    run = Run(client, tmp_path / "run.jsonl", story())
    run.ask(shards_of(plan, 2))

    again = client.tasks[2]
    assert (again.shard.number, again.worker, again.state) == (1, "c", LINE)
    assert run.held(1) == LINE * 2
    assert client.cancelled == [client.tasks[0].future]
    assert "lost a" in run.warned[0]


def test_news_after_a_gap_waits_for_the_whole_journal(
    plan: LongMemEvalPlan, tmp_path: Path
) -> None:
    client = FakeClient("a")

    def story() -> Iterator[None]:
        (task,) = client.tasks
        task.tell(LINE, gap=20)
        yield
        assert run.held(1) == b""
        task.finish(LINE * 2)
        yield

    run = Run(client, tmp_path / "run.jsonl", story())
    run.ask(shards_of(plan, 1))
    assert run.held(1) == LINE * 2


def test_a_shard_that_loses_one_worker_after_another_is_given_up(
    plan: LongMemEvalPlan, tmp_path: Path
) -> None:
    client = FakeClient("w0")

    def story() -> Iterator[None]:
        for number in range(1, 20):
            client.workers = [f"w{number}"]
            yield

    run = Run(client, tmp_path / "run.jsonl", story())
    with pytest.raises(PrerequisiteError, match="worker 1 of 1 lost 4 workers"):
        run.ask(shards_of(plan, 1))
    assert len(client.tasks) == LOSSES + 1


def test_a_cluster_that_stays_without_workers_is_given_up(
    plan: LongMemEvalPlan, tmp_path: Path
) -> None:
    client = FakeClient("a")

    def story() -> Iterator[None]:
        while True:
            client.workers = []
            yield

    run = Run(client, tmp_path / "run.jsonl", story())
    with pytest.raises(PrerequisiteError, match="no worker for 60 s"):
        run.ask(shards_of(plan, 1))


def test_a_shard_that_fails_stops_the_others_and_waits_until_they_have(
    plan: LongMemEvalPlan, tmp_path: Path
) -> None:
    client = FakeClient("a", "b")
    waited: list[int] = []

    def story() -> Iterator[None]:
        one, two = client.tasks
        one.fail(DaemonDiedError("the daemon ended."))
        yield
        for step in range(3):
            waited.append(step)
            yield
        two.tell(LINE)
        two.tell(b"", ended=True)
        yield

    run = Run(client, tmp_path / "run.jsonl", story())
    with pytest.raises(DaemonDiedError, match="the daemon ended"):
        run.ask(shards_of(plan, 2))

    assert client.cancelled == [client.tasks[1].future]
    assert waited == [0, 1, 2]
    assert run.held(2) == LINE


def test_a_worker_without_the_harness_is_told_from_a_fault(
    plan: LongMemEvalPlan, tmp_path: Path
) -> None:
    client = FakeClient("a")

    def story() -> Iterator[None]:
        client.tasks[0].fail(ModuleNotFoundError("No module named 'harness'"))
        yield

    run = Run(client, tmp_path / "run.jsonl", story())
    with pytest.raises(PrerequisiteError, match="No module named 'harness'") as caught:
        run.ask(shards_of(plan, 1))
    assert "Every worker" in caught.value.remedy


def test_a_torn_line_does_not_travel(plan: LongMemEvalPlan, tmp_path: Path) -> None:
    client = FakeClient("a")

    def story() -> Iterator[None]:
        client.tasks[0].finish(LINE * 2)
        yield

    run = Run(client, tmp_path / "run.jsonl", story())
    shard_journal(run.journal, 1).write_bytes(LINE + b'{"kind":"qu')
    run.ask(shards_of(plan, 1))
    assert client.tasks[0].state == LINE
    assert run.held(1) == LINE * 2


def test_a_cluster_is_used_whole_or_as_far_as_wanted() -> None:
    cluster = Cluster("tcp://fake", FakeClient("a", "b", "c"))
    assert cluster.workers_for(None) == 3
    assert cluster.workers_for(2) == 2
    with pytest.raises(PrerequisiteError, match="has 3 workers, and 4 are wanted"):
        cluster.workers_for(4)
    with pytest.raises(PrerequisiteError, match="has 0 workers"):
        Cluster("tcp://fake", FakeClient()).workers_for(None)


def test_an_interrupted_run_takes_back_what_it_submitted(
    plan: LongMemEvalPlan, tmp_path: Path
) -> None:
    client = FakeClient("a")

    def answered(task: Task) -> None:
        task.tell(LINE)
        task.tell(b"", ended=True)

    def interrupted(_steps: int) -> None:
        raise KeyboardInterrupt

    client.submitted = answered
    with pytest.raises(KeyboardInterrupt):
        Cluster("tcp://fake", client).ask(
            shards_of(plan, 1), tmp_path / "run.jsonl", interrupted, print
        )
    assert client.cancelled == [client.tasks[0].future]


def test_without_distributed_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(PrerequisiteError) as caught, connected("tcp://127.0.0.1:1"):
        pass
    assert caught.value.exit_code == ExitCode.UNAVAILABLE
    assert caught.value.remedy == INSTALL


@pytest.mark.parametrize(
    "error",
    [
        UsageError("what", where="where", remedy="remedy"),
        DaemonDiedError("it ended."),
        TextsRefusedError([], where="http://endpoint"),
    ],
)
def test_an_error_comes_back_as_the_nearest_kind_of_the_tree(
    error: HarnessError, tmp_path: Path
) -> None:
    path = tmp_path / "worker.ending"
    Ending(error, ("a warning",)).write(path)
    back = Ending.read(path)

    assert back is not None
    assert back.warnings == ("a warning",)
    assert isinstance(back.error, HarnessError)
    assert type(back.error) is type(as_plain(error))
    assert back.error.exit_code == error.exit_code
    assert str(back.error) == str(error)
    assert str(pickle.loads(pickle.dumps(back.error))) == str(error)


def test_a_worker_without_a_word_leaves_nothing_to_read(tmp_path: Path) -> None:
    assert Ending.read(tmp_path / "none.ending") is None
