"""The index job: build HNSW over a profile, after the load and beside the traffic.

Keeping the index up to date costs 2 to 3 ms a row; building it once afterwards is four
to seven times as fast. It is built concurrently, so reads and writes go on.
"""

from __future__ import annotations

import structlog

from palace.core import Palace
from palace.errors import InvalidInput
from palace.store.connect import connect, store_errors
from palace.store.vectors import (
    HNSW_EF_CONSTRUCTION,
    HNSW_M,
    MAX_INDEXED_DIMENSION,
    VectorTable,
)

_LOG = structlog.get_logger(__name__)

# The graph is built in this much memory; past it the build slows by an order. One
# process: parallel ones share memory of a size that containers seldom grant.
_BUILD_MEMORY = "512MB"


async def build_index(palace: Palace, table: VectorTable) -> dict[str, object]:
    """Build the index of a profile anew, and use it from then on.

    Raises:
        InvalidInput: The profile has more dimensions than pgvector can index.
        StoreUnavailable: Postgres went away; a half-built index is dropped next time.
    """
    if not table.can_index:
        raise InvalidInput(
            "profile",
            f"{table.profile.name!r} has {table.profile.dimension} dimensions, and an"
            f" index takes at most {MAX_INDEXED_DIMENSION}",
        )
    with store_errors():
        connection = await connect(palace.settings.database_url, command_timeout_s=None)
        try:
            await connection.execute(
                f"set maintenance_work_mem = '{_BUILD_MEMORY}';"
                " set max_parallel_maintenance_workers = 0"
            )
            table.has_index = False
            await connection.execute(
                f"drop index concurrently if exists {table.index_name}"
            )
            await connection.execute(
                f"create index concurrently {table.index_name} on {table.name}"
                " using hnsw (v vector_cosine_ops)"
                f" with (m = {HNSW_M}, ef_construction = {HNSW_EF_CONSTRUCTION})"
            )
            await table.see_index(connection)
        finally:
            await connection.close(timeout=2.0)
    rows = palace.memory.table.n_embedded(table.profile.name)
    _LOG.info("index_built", profile=table.profile.name, rows=rows)
    return {"profile": table.profile.name, "rows": rows}
