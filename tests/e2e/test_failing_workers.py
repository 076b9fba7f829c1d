"""Workers whose background tasks are hit by exceptions: these are running again, and counted together."""

import asyncio
import os
import re
import subprocess

import pytest

from tests.e2e.servers import ROOT, Processes, Server, environment, longtable, until
from tests.e2e.test_supervisor import PATIENCE, pids
from tests.spec.test_background_failures import OF_WORKERS

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
FAULTS = 2
WORKERS = 2


@pytest.fixture
def server(processes: Processes, embedded: dict[str, str]) -> Server:
    options = {"http_port": "0", "workers": str(WORKERS), "enable_metrics": "true", "enable_semantic_search": "false"}
    path = os.pathsep.join(map(str, (ROOT / "tests" / "e2e" / "failing", ROOT / "src", ROOT)))
    given = {**environment({**embedded, **options}), "PYTHONPATH": path, "FAILING_TASKS": "yes"}
    pipe = subprocess.PIPE
    server = Server(
        subprocess.Popen(
            longtable("serve"), cwd=processes.folder, env=given, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe
        )
    )
    processes.started.append(server)
    server.address = server.event("started")["address"]
    return server


async def test_the_tasks_of_all_workers_are_running_again_and_counted(server: Server) -> None:
    await until(lambda: len(pids(server, "worker_ready")) == WORKERS, PATIENCE)
    agent = server.agent("ann")
    counted: dict[str, float] = {}

    async with asyncio.timeout(PATIENCE):
        while counted != dict.fromkeys(OF_WORKERS, float(FAULTS * WORKERS)):
            counted = failures((await agent.client.get("/metrics")).text)
        while (await agent.client.get("/ready")).status_code != 200:
            pass
    shown = (await agent.client.get("/status")).json()["background"]
    await agent.client.aclose()

    assert {task["task"]: task["status"] for task in shown if task["task"] in OF_WORKERS} == dict.fromkeys(
        OF_WORKERS, "running"
    )
    assert {task["failures"] for task in shown if task["task"] in OF_WORKERS} == {FAULTS}
    assert {name for name in OF_WORKERS if len(logged(server, name)) != FAULTS * WORKERS} == set()


def failures(text: str) -> dict[str, float]:
    found = re.findall(r'^longtable_background_failures_total\{task="(\w+)"\} (\S+)$', text, re.MULTILINE)
    return {name: float(value) for name, value in found if name in OF_WORKERS}


def logged(server: Server, name: str) -> list[str]:
    return [line for line in server.lines if "background_task_failed" in line and f'"task": "{name}"' in line]
