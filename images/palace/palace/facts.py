"""What the daemon says of itself; its build is what the interpreter says it is."""

from __future__ import annotations

import asyncio
import platform
import sys
from typing import Any

import asyncpg

from palace import __version__
from palace.clock import rfc3339, to_datetime
from palace.core import Palace
from palace.documents import facts_store
from palace.documents import store as documents
from palace.search.semantic import breadth
from palace.settings import Settings
from palace.store.vectors import HNSW_EF_CONSTRUCTION, HNSW_M

FEATURES = (
    "drawers",
    "drawers.batch",
    "drawers.delete",
    "documents",
    "documents.batch",
    "duplicates",
    "entities",
    "facts",
    "fragments.rank",
    "fragments.search",
    "history",
    "jobs.embed",
    "jobs.index",
    "mentions",
    "profiles",
    "relations",
    "search.expand",
    "search.hybrid",
    "search.lexical",
    "search.semantic",
    "search.temporal",
    "shutdown",
    "supersede",
    "wings.delete",
)
SCOPED_STATISTICS = "lexical.scoped"
"""Spoken where the daemon was told to count words in what a filter leaves."""

_POSTGRES_SETTINGS = (
    "effective_cache_size",
    "fsync",
    "full_page_writes",
    "jit",
    "maintenance_work_mem",
    "max_connections",
    "max_parallel_workers_per_gather",
    "plan_cache_mode",
    "random_page_cost",
    "shared_buffers",
    "synchronous_commit",
    "wal_level",
    "work_mem",
)


async def status(palace: Palace) -> dict[str, Any]:
    """Return everything a client may want to know of the daemon.

    Its `now` is later than every stamp handed out before and earlier than every one
    after, so a client can place its epochs by it without a clock in common.
    """
    async with palace.read() as connection:
        postgres = await _postgres(connection)
        entities = await connection.fetchval("select count(*) from entities")
        mentions = await connection.fetchval("select count(*) from mentions")
        n_documents = await documents.count(connection)
        n_facts = await facts_store.count(connection)
    memory = palace.memory
    return {
        "name": "palace",
        "version": __version__,
        "ready": True,
        "now": rfc3339(to_datetime(palace.clock.stamp())),
        "counts": {
            "wings": memory.catalog.n_wings,
            "rooms": memory.catalog.n_rooms,
            "drawers": len(memory.table),
            "current": memory.table.n_current,
            "entities": entities,
            "mentions": mentions,
            "documents": n_documents,
            "fragments": len(memory.fragments),
            "fragments_embedded": memory.fragments.n_embedded,
            "facts": n_facts,
            "vectors": {name: memory.table.n_embedded(name) for name in palace.tables},
        },
        "features": features(palace.settings),
        "build": build(),
        "postgres": postgres,
        "index": {
            name: {
                "rows": memory.table.n_embedded(name),
                "hnsw": table.has_index,
                "m": HNSW_M,
                "ef_construction": HNSW_EF_CONSTRUCTION,
                "ef_search": breadth(10, 1.0),
            }
            for name, table in palace.tables.items()
        },
    }


def features(settings: Settings) -> list[str]:
    """Return what the daemon speaks, in the order of the alphabet."""
    scoped = settings.lexical_statistics == "scope"
    return sorted([*FEATURES, *([SCOPED_STATISTICS] if scoped else [])])


def build() -> dict[str, Any]:
    """Return what the running interpreter and event loop are."""
    loop = asyncio.get_running_loop()
    is_debug = loop.get_debug()
    return {
        "name": "debug" if is_debug and __debug__ else "release",
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        # Only an interpreter built with Py_DEBUG counts its references.
        "debug_interpreter": hasattr(sys, "gettotalrefcount"),
        "dev_mode": sys.flags.dev_mode,
        "asyncio_debug": is_debug,
        "assertions": __debug__,
        "optimize": sys.flags.optimize,
        "loop": type(loop).__module__.partition(".")[0],
    }


def config(settings: Settings) -> dict[str, Any]:
    """Return the settings that may be told; what only MemCastle has is null."""
    embeddings = settings.embeddings
    return {
        "backend": "postgres",
        "embeddings": {
            "provider": "none" if embeddings is None else "http",
            "model": None if embeddings is None else embeddings.model,
        },
        "profiles": [profile.model_dump() for profile in settings.profiles],
        "bind_addr": f"{settings.host}:{settings.port}",
        "palace_path": None,
        "location": None,
        "auth_enabled": settings.token is not None,
        "web": False,
        "assets": None,
        "jobs": {"concurrency": 1},
        "extraction": None,
        "mining": None,
        "lexical_statistics": settings.lexical_statistics,
        "exact_limit": settings.exact_limit,
        "auto_index_after_s": settings.auto_index_after_s,
        "documents": {
            "preset": settings.ranking_preset,
            **settings.ranking.described(),
        },
    }


async def _postgres(connection: asyncpg.Connection) -> dict[str, Any]:
    """Return Postgres' version, pgvector's, and the settings that move a latency."""
    records = await connection.fetch(
        "select name, current_setting(name) from pg_settings where name = any($1)"
        " order by name",
        list(_POSTGRES_SETTINGS),
    )
    return {
        "version": await connection.fetchval("show server_version"),
        "pgvector": await connection.fetchval(
            "select extversion from pg_extension where extname = 'vector'"
        ),
        "settings": {record[0]: record[1] for record in records},
    }
