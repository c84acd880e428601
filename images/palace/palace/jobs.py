"""Work that outlasts a request: embedding drawers, building the vector index.

One job at a time, in one task of the daemon. A job is a record in Postgres, so it
survives the daemon; what was running when a daemon died is queued again.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Mapping
from uuid import UUID

import structlog

from palace.clock import to_datetime
from palace.core import Palace
from palace.embedding import embed_missing
from palace.errors import (
    EmbeddingNotConfigured,
    NotFound,
    PalaceError,
    StoreUnavailable,
)
from palace.indexing import build_index
from palace.names import checked_text
from palace.provider import ProviderFailed
from palace.store import jobs as store
from palace.store.jobs import JobRow

_LOG = structlog.get_logger(__name__)

# Writes come in bursts; one job after the burst serves them all.
_COALESCE_S = 0.05
# How long the runner waits when Postgres is away, and per attempt when a job failed.
_RETRY_S = 0.5
# How often an idle runner looks whether a profile has outgrown exact search.
_IDLE_S = 1.0


class JobRunner:
    """Queues jobs and runs them, one after another.

    Args:
        palace: What the jobs work on.
    """

    def __init__(self, palace: Palace) -> None:
        self._palace = palace
        self._work = asyncio.Event()
        # Whether drawers were written that no embed job was queued for yet; those of
        # an earlier daemon count.
        self._has_writes = True
        self._task: asyncio.Task[None] | None = None
        # Profiles an index was queued for already: one that fails is not tried for
        # ever, and `POST /api/jobs` tries it again.
        self._indexed: set[str] = set()

    def start(self) -> None:
        """Begin to run jobs, those left over by an earlier daemon first."""
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Stop at once; a job under way is queued again by the next start."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def wake(self) -> None:
        """Say that drawers were written, which may need vectors."""
        self._has_writes = True
        self._work.set()

    async def submit(
        self,
        kind: str,
        *,
        wing: str | None = None,
        profile: str | None = None,
        priority: str = store.NORMAL,
        requested_by: str = "http",
    ) -> JobRow:
        """Queue a job.

        Raises:
            EmbeddingNotConfigured: An embed job, and no provider.
            InvalidInput: An index job over an unknown profile.
        """
        if kind == store.EMBED and self._palace.provider is None:
            raise EmbeddingNotConfigured
        if kind == store.INDEX:
            profile = self._palace.table_of(profile).profile.name
        async with self._palace.write() as write:
            row = await store.insert(
                write.connection,
                {
                    "id": uuid.uuid4(),
                    "kind": kind,
                    "wing": wing,
                    "profile": profile,
                    "priority": priority,
                    "created_at": to_datetime(self._palace.clock.stamp()),
                    "requested_by": requested_by,
                },
            )
        self._work.set()
        return row

    async def listed(
        self, *, status: str | None, kind: str | None, limit: int
    ) -> list[JobRow]:
        """Return the newest jobs, newest first, of one status or kind if given."""
        for field, value in (("status", status), ("kind", kind)):
            if value is not None:
                checked_text(field, value)
        async with self._palace.read() as connection:
            return await store.listed(connection, status=status, kind=kind, limit=limit)

    async def find(self, job: UUID) -> JobRow:
        """Return one job.

        Raises:
            NotFound: There is none with this id.
        """
        async with self._palace.read() as connection:
            row = await store.by_id(connection, job)
        if row is None:
            raise NotFound("job", str(job))
        return row

    async def _run(self) -> None:
        """Run jobs for ever; Postgres being away only makes it wait."""
        is_recovered = False
        while True:
            try:
                if not is_recovered:
                    async with self._palace.write() as write:
                        now = to_datetime(self._palace.clock.stamp())
                        await store.recover(write.connection, now)
                    is_recovered = True
                    self._work.set()
                await self._wait_for_work()
                if self._has_writes:
                    await self._queue_embedding()
                await self._queue_indexing()
                while await self._run_next():
                    pass
            except StoreUnavailable as problem:
                # What was running stays so in Postgres until it is queued again.
                _LOG.warning("jobs_wait", reason=problem.message)
                is_recovered = False
                self._has_writes = True
                await asyncio.sleep(_RETRY_S)

    async def _wait_for_work(self) -> None:
        """Wait for work, or until it is time to look at the indexes."""
        try:
            await asyncio.wait_for(self._work.wait(), _IDLE_S)
        except TimeoutError:
            return
        await asyncio.sleep(_COALESCE_S)
        self._work.clear()

    async def _queue_embedding(self) -> None:
        """Queue an embed job for drawers without a vector, unless one waits already."""
        self._has_writes = False
        if not self._palace.embeds or not self._palace.n_without_vector:
            return
        async with self._palace.read() as connection:
            is_queued = await store.is_queued(connection, store.EMBED)
        if not is_queued:
            await self.submit(
                store.EMBED, priority=store.BACKGROUND, requested_by="daemon"
            )

    async def _queue_indexing(self) -> None:
        """Queue an index job, once, for each profile that outgrew exact search."""
        for profile in self._palace.outgrown_profiles():
            if profile not in self._indexed:
                self._indexed.add(profile)
                await self.submit(
                    store.INDEX,
                    profile=profile,
                    priority=store.BACKGROUND,
                    requested_by="daemon",
                )

    async def _run_next(self) -> bool:
        """Run the next queued job, if there is one."""
        async with self._palace.read() as connection:
            job = await store.next_queued(connection)
        if job is None:
            return False
        attempt = job.attempt + 1
        await self._note(job, status="running", attempt=attempt, started_at=self._now())
        try:
            result = await self._perform(job)
        except StoreUnavailable:
            raise
        except (PalaceError, ProviderFailed) as problem:
            await self._failed(job, attempt, str(problem))
        except Exception as problem:
            # A fault of ours in one job must not keep the others from running.
            _LOG.exception("job_broke", job=str(job.id))
            await self._failed(job, attempt, f"a fault: {type(problem).__name__}")
        else:
            await self._note(
                job,
                status="completed",
                completed_at=self._now(),
                result=json.dumps(result),
                error=None,
            )
        return True

    async def _perform(self, job: JobRow) -> Mapping[str, object]:
        if job.kind == store.INDEX:
            return await build_index(self._palace, self._palace.table_of(job.profile))
        return await embed_missing(self._palace, job)

    async def _failed(self, job: JobRow, attempt: int, reason: str) -> None:
        """Give the job another attempt a little later, or give it up."""
        _LOG.warning("job_failed", job=str(job.id), attempt=attempt, reason=reason)
        if attempt < job.max_attempts:
            await self._note(job, status="queued", error=reason)
            await asyncio.sleep(_RETRY_S * attempt)
        else:
            await self._note(
                job, status="failed", error=reason, completed_at=self._now()
            )

    async def _note(self, job: JobRow, **fields: object) -> None:
        async with self._palace.write() as write:
            await store.set_fields(write.connection, job.id, fields)

    def _now(self) -> object:
        return to_datetime(self._palace.clock.stamp())
