"""PgBouncer in transaction mode, Debian's, in front of the PostgreSQL of the tests."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.schemas import PostgresLogin

CONNECTIONS = 3
"""To PostgreSQL, for all who come through the pooler."""


def program() -> str:
    found = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
    if found is None:
        pytest.fail("PgBouncer is not installed: run `make pooler`")
    return found


@contextmanager
def pooler_to(login: PostgresLogin) -> Iterator[int]:
    """Its port on the loopback address."""
    with tempfile.TemporaryDirectory(prefix="longtable-pgbouncer-") as name:
        folder = Path(name)
        port = _free_port()
        _configure(folder, login, port)
        # It refuses to run as root: then it runs as whoever may reach the socket of PostgreSQL.
        user = ["-u", _owner_of(_host(login))] if os.getuid() == 0 else []
        folder.chmod(0o755)
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen([program(), *user, str(folder / "pgbouncer.ini")], stdout=log, stderr=log)
        try:
            _wait_for(port, process, folder / "log")
            yield port
        finally:
            process.terminate()
            process.wait(10)


def pooled_url(login: PostgresLogin, port: int, schema: str) -> str:
    return f"postgresql://{login.role}:{login.password}@127.0.0.1:{port}/pooled?search_path={schema}"


def _configure(folder: Path, login: PostgresLogin, port: int) -> None:
    parts = urlsplit(login.url("public"))
    (folder / "users").write_text(f'"{login.role}" "{login.password}"\n', "utf-8")
    (folder / "pgbouncer.ini").write_text(
        f"""[databases]
pooled = host={_host(login)} port={parts.port or 5432} dbname={parts.path.strip("/")}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
pool_mode = transaction
default_pool_size = {CONNECTIONS}
max_client_conn = 200
auth_type = plain
auth_file = {folder / "users"}
""",
        "utf-8",
    )


def _host(login: PostgresLogin) -> str:
    parts = urlsplit(login.url("public"))
    return parse_qs(parts.query).get("host", [parts.hostname or "127.0.0.1"])[0]


def _owner_of(host: str) -> str:
    return pwd.getpwuid(Path(host).stat().st_uid).pw_name if host.startswith("/") else "nobody"


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait_for(port: int, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as attempt:
            if attempt.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    pytest.fail(f"PgBouncer does not answer: {log.read_text()}")


async def connections_of(login: PostgresLogin) -> int:
    """How many connections the role has to PostgreSQL."""
    import asyncpg

    raw = await asyncpg.connect(login.url("public"))
    try:
        return int(await raw.fetchval("SELECT count(*) FROM pg_stat_activity WHERE usename = $1", login.role)) - 1
    finally:
        await raw.close()
