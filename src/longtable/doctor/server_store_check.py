"""Whether a PostgreSQL server can be used as the store."""

import asyncio
from collections.abc import Iterator
from typing import Final

from longtable.doctor.findings import HealthFinding, fine
from longtable.settings.options import Settings
from longtable.storage.inspection import inspect_server
from longtable.vectors.store import ABSENT, REMEDY, has_vectors

_OLDEST: Final = 15


def check_server_store(settings: Settings) -> Iterator[HealthFinding]:
    try:
        found = asyncio.run(inspect_server(settings.store))
    except Exception as error:  # noqa: BLE001 - whatever the driver raises, it is the finding
        problem = f"The PostgreSQL server cannot be used ({type(error).__name__})."
        yield HealthFinding("store", "error", problem, "Check address, login and network; 'psql ADDRESS' says more.")
        return
    if found.version < _OLDEST:
        yield HealthFinding("store", "error", f"PostgreSQL {found.version} is too old.", f"Use {_OLDEST} or newer.")
    if found.is_superuser:
        problem = "The login is a superuser, for whom row-level security does not hold."
        yield HealthFinding("store", "warning", problem, "Use a login of its own: docs/howto/postgresql.md.")
    if found.schema is not None and found.schema > found.latest:
        problem = f"The store has schema {found.schema}; this Longtable knows up to {found.latest}."
        yield HealthFinding("store", "error", problem, "Install the newer Longtable that wrote it.")
    if settings.enable_semantic_search and (found.pgvector is None or not has_vectors(found.pgvector)):
        yield HealthFinding("search", "warning", ABSENT, REMEDY)
    yield fine("store", f"PostgreSQL {found.version}, schema {found.schema or 'not made yet'}.")
