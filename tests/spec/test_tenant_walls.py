"""Takes every condition on the tenant out of every statement, one at a time: somebody must notice each."""

from pathlib import Path

import pytest

from tests.walls.explained import explanation, unreached
from tests.walls.source_statements import asking_functions
from tests.walls.system_statements import SYSTEM_STATEMENTS
from tests.walls.trial import Trial

pytestmark = [pytest.mark.slow, pytest.mark.in_process, pytest.mark.timeout(600)]


async def test_no_condition_on_the_tenant_can_be_removed_unseen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two tenants have the same names and ids for everything. Acme's people try every tool, route and resource. Without
    a condition they are told something else, or rows are other than they were."""
    trial = await Trial.prepared(tmp_path, monkeypatch)
    await trial.explore()

    unseen = [
        f"{function}: {around}"
        for (function, around), mutants in trial.places.items()
        if explanation(function, around) is None and not await trial.is_red(mutants)
    ]

    assert unseen == [], (
        "no probe notices when these conditions are gone: extend the scene or the probes, or explain it"
    )
    assert unreached(asking_functions() - trial.lens.functions - SYSTEM_STATEMENTS.keys()) == set()
    assert len(trial.places) >= 200
