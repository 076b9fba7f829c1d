"""The same as in tests/spec, in the full number."""

from pathlib import Path

import pytest

from tests.spec.plan_races import check_claims, check_updates
from tests.stores import Store
from tests.table import open_table

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(1200)]


async def test_64_agents_that_race_for_1000_tasks_claim_each_once_and_in_order(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path) as table:
        await check_claims(table, await table.session(), agents=64, tasks=1_000)


async def test_200_updates_of_one_task_by_each_of_32_agents_lose_nothing(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path) as table:
        await check_updates(table, await table.session(), agents=32, each=200)
