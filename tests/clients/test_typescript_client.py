"""The TypeScript client does what every client must do, at a server of its own process."""

import json
from pathlib import Path

import pytest

from tests.clients.harness import Harness
from tests.clients.player import SCENARIOS
from tests.clients.typescript import PACKAGE, ROOT, run, skip_unless_built

pytestmark = pytest.mark.slow


def test_it_plays_every_scenario(harness: Harness, tmp_path: Path) -> None:
    skip_unless_built()
    runner, scenarios = PACKAGE / "test" / "conformance.js", ROOT / "clients" / "conformance" / "scenarios.json"

    printed = run(["node", runner, harness.address, harness.control, scenarios], tmp_path)

    played = {line["name"]: line["problem"] for line in map(json.loads, printed.splitlines())}
    assert {name: problem for name, problem in played.items() if problem is not None} == {}
    assert list(played) == [scenario["name"] for scenario in SCENARIOS]
