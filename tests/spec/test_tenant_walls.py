"""Takes every condition on the tenant out of every statement, one at a time: somebody must notice each."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.walls.explained import explanation, unreached
from tests.walls.gateway_scene import gateway_prepared, gateway_probes
from tests.walls.scene import VICTIM
from tests.walls.source_statements import asking_functions
from tests.walls.system_statements import SYSTEM_STATEMENTS
from tests.walls.trial import Trial

pytestmark = [pytest.mark.slow, pytest.mark.in_process, pytest.mark.timeout(600)]


async def test_no_condition_on_the_tenant_can_be_removed_unseen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two tenants have the same names and ids for everything. Acme's people try every tool, route and resource. Without
    a condition they are told something else, or rows are other than they were."""
    trial = await Trial.of_all(tmp_path, monkeypatch)
    await trial.explore()

    assert await _unseen(trial, lambda function: not function.startswith("gateway.")) == []
    assert {name for name in _unreached(trial) if not name.startswith("gateway.")} == set()
    assert len(trial.places) >= 200


async def test_nor_can_one_of_the_gateway(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = await gateway_prepared(tmp_path / "scene", monkeypatch)
    trial = Trial.of(scene, tmp_path, list(gateway_probes(scene.facts[VICTIM])))
    await trial.explore()

    assert await _unseen(trial, lambda function: function.startswith("gateway.")) == []
    assert {name for name in _unreached(trial) if name.startswith("gateway.")} == set()


async def _unseen(trial: Trial, concerns: Callable[[str], bool]) -> list[str]:
    """The conditions that nobody misses: extend the scene or the probes, or explain them."""
    return [
        f"{function}: {around}"
        for (function, around), mutants in trial.places.items()
        if concerns(function) and explanation(function, around) is None and not await trial.is_red(mutants)
    ]


def _unreached(trial: Trial) -> set[str]:
    """The functions with statements that no probe has come to, without a reason."""
    return unreached(asking_functions() - trial.lens.functions - SYSTEM_STATEMENTS.keys())
