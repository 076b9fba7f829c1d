"""A server that runs as one process takes the gateway file over again on SIGHUP, and goes on."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.e2e.servers import Process, environment, until
from tests.gateway.hostile.entries import hostile_json

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

ALONE = """
import os
from longtable.server.serve import run
from longtable.settings.load import load_unbound
run(load_unbound({}, os.environ).settings)
"""


def write_unnoticed(path: Path, name: str) -> None:
    """The same inode, size and time as before: whoever looks at those sees no change."""
    before = path.stat() if path.exists() else None
    servers: dict[str, Any] = {name: hostile_json("calm")}
    path.write_text(json.dumps({"mcpServers": servers}))
    path.chmod(0o600)
    if before is not None:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert path.stat().st_size == before.st_size


async def names(client: httpx2.AsyncClient) -> list[str]:
    return [each["name"] for each in (await client.get("/upstreams")).json()["upstreams"]]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Process]:
    """With an upstream, `one`."""
    path = tmp_path / "gateway.json"
    write_unnoticed(path, "one")
    options = {"data_dir": str(tmp_path / "data"), "http_port": "0", "gateway_config": str(path)}
    command, env = [sys.executable, "-c", ALONE], environment({**options, "enable_semantic_search": "false"})
    with subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) as popen:
        server = Process(popen)
        yield server
        server.kill()


async def test_a_hangup_has_the_gateway_file_read_again(server: Process, tmp_path: Path) -> None:
    address = server.event("started")["address"]
    async with httpx2.AsyncClient(base_url=address, timeout=60) as client:
        before, seen = await names(client), len(server.lines)
        write_unnoticed(tmp_path / "gateway.json", "two")

        server.signal(signal.SIGHUP)

        await until(lambda: any("gateway_file_taken" in line for line in server.lines[seen:]))
        assert (before, await names(client)) == (["one"], ["two"])
