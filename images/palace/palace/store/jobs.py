"""Job records in Postgres: what was asked, how far it is, how it ended."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import asyncpg

from palace.clock import rfc3339

EMBED, INDEX = "embed", "index"
NORMAL, BACKGROUND = "normal", "background"


class JobRow(NamedTuple):
    """One row of the table `jobs`, in the order of its columns."""

    seq: int
    id: UUID
    kind: str
    wing: str | None
    profile: str | None
    status: str
    priority: str
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    requested_by: str
    progress_current: int
    progress_total: int | None
    progress_message: str | None
    attempt: int
    recovery_attempts: int
    max_attempts: int
    result: str | None
    error: str | None


COLUMNS = ", ".join(JobRow._fields)


def job_body(row: JobRow) -> dict[str, Any]:
    """Return a job as callers see it, MemCastle's lease fields empty: one worker."""
    return {
        "id": str(row.id),
        "kind": {"type": row.kind, "wing": row.wing, "profile": row.profile},
        "status": row.status,
        "priority": row.priority,
        "created_at": rfc3339(row.created_at),
        "started_at": None if row.started_at is None else rfc3339(row.started_at),
        "completed_at": None if row.completed_at is None else rfc3339(row.completed_at),
        "requested_by": row.requested_by,
        "progress": {
            "current": row.progress_current,
            "total": row.progress_total,
            "message": row.progress_message,
        },
        "attempt": row.attempt,
        "recovery_attempts": row.recovery_attempts,
        "max_attempts": row.max_attempts,
        "checkpoint": None,
        "result": None if row.result is None else json.loads(row.result),
        "error": row.error,
        "lease_owner": None,
        "lease_expires_at": None,
        "pause_requested": False,
        "cancel_requested": False,
    }


async def insert(connection: asyncpg.Connection, job: Mapping[str, object]) -> JobRow:
    """Queue a job; *job* holds id, kind, wing, profile, priority, who and when."""
    names = ", ".join(job)
    places = ", ".join(f"${n}" for n in range(1, len(job) + 1))
    (record,) = await connection.fetch(
        f"insert into jobs ({names}, status) values ({places}, 'queued')"
        f" returning {COLUMNS}",
        *job.values(),
    )
    return JobRow(*record)


async def listed(
    connection: asyncpg.Connection,
    *,
    status: str | None,
    kind: str | None,
    limit: int,
) -> list[JobRow]:
    """Return jobs, newest first, of one status or kind where that is given."""
    records = await connection.fetch(
        f"select {COLUMNS} from jobs where ($1::text is null or status = $1)"
        " and ($2::text is null or kind = $2) order by seq desc limit $3",
        status,
        kind,
        limit,
    )
    return [JobRow(*record) for record in records]


async def by_id(connection: asyncpg.Connection, job: UUID) -> JobRow | None:
    """Return one job, or None."""
    record = await connection.fetchrow(f"select {COLUMNS} from jobs where id = $1", job)
    return None if record is None else JobRow(*record)


async def next_queued(connection: asyncpg.Connection) -> JobRow | None:
    """Return the job to run next: asked for by a caller first, then the oldest."""
    record = await connection.fetchrow(
        f"select {COLUMNS} from jobs where status = 'queued'"
        " order by priority <> 'normal', seq limit 1"
    )
    return None if record is None else JobRow(*record)


async def is_queued(connection: asyncpg.Connection, kind: str) -> bool:
    """Tell whether a job of this kind waits for the whole palace."""
    return bool(
        await connection.fetchval(
            "select exists (select from jobs"
            " where status = 'queued' and kind = $1 and wing is null)",
            kind,
        )
    )


async def set_fields(
    connection: asyncpg.Connection, job: UUID, fields: Mapping[str, object]
) -> None:
    """Change some columns of a job; the names come from this code, never a caller."""
    changes = ", ".join(f"{name} = ${n}" for n, name in enumerate(fields, start=2))
    await connection.execute(
        f"update jobs set {changes} where id = $1", job, *fields.values()
    )


async def recover(connection: asyncpg.Connection, now: datetime) -> None:
    """Queue again what an earlier daemon was running when it died.

    A job that was cut off as often as it may be attempted is given up.
    """
    await connection.execute(
        "update jobs set recovery_attempts = recovery_attempts + 1,"
        " status = case when recovery_attempts + 1 < max_attempts"
        " then 'queued' else 'failed' end,"
        " error = case when recovery_attempts + 1 < max_attempts"
        " then error else 'the daemon stopped while it ran, too often' end,"
        " completed_at = case when recovery_attempts + 1 < max_attempts"
        " then null else $1::timestamptz end"
        " where status = 'running'",
        now,
    )
