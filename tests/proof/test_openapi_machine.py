"""A machine that makes cases from the OpenAPI document, as each role. `make schemathesis` installs it."""

import os
from pathlib import Path

import pytest

from tests.e2e.openapi_machine import PROGRAM, ROLES, run_machine
from tests.e2e.servers import Processes

HOURS = float(os.environ.get("LONGTABLE_PROOF_HOURS") or 1)
SECONDS = max(20, int(HOURS * 300))
LEAST = {"owner": 40, "human": 40, "orchestrator": 45, "reader": 15, "agent": 15}
"""Operations of which a result is seen, even in the shortest run."""
pytestmark = [
    pytest.mark.timeout(SECONDS * 3 + 600),
    pytest.mark.skipif(not PROGRAM.exists(), reason="run `make schemathesis`"),
]


@pytest.mark.parametrize("role", ROLES)
async def test_every_operation_keeps_to_its_description(
    processes: Processes, embedded: dict[str, str], tmp_path: Path, role: str
) -> None:
    run = await run_machine(processes, embedded, role, SECONDS, tmp_path)

    print(run.said[-1_500:])
    print(f"{len(run.succeeded)} operations have succeeded as {role}: {', '.join(run.succeeded)}")
    assert run.said.endswith("exit code 0"), run.said[-6_000:]
    assert len(run.succeeded) >= LEAST[role], "too few answers were looked at"
