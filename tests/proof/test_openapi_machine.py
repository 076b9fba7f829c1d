"""A machine that makes cases from the OpenAPI document, as each role. `make schemathesis` installs it."""

import os
from pathlib import Path

import pytest

from tests.e2e.openapi_machine import PROGRAM, ROLES, run_machine
from tests.e2e.servers import Processes

HOURS = float(os.environ.get("LONGTABLE_PROOF_HOURS") or 1)
SECONDS = max(20, int(HOURS * 300))
pytestmark = [
    pytest.mark.timeout(SECONDS * 3 + 600),
    pytest.mark.skipif(not PROGRAM.exists(), reason="run `make schemathesis`"),
]


@pytest.mark.parametrize("role", ROLES)
async def test_every_operation_keeps_to_its_description(
    processes: Processes, embedded: dict[str, str], tmp_path: Path, role: str
) -> None:
    told = await run_machine(processes, embedded, role, SECONDS, tmp_path)

    print(told[-1_500:])
    assert told.endswith("exit code 0"), told[-6_000:]
