"""The same as in tests/spec, in the full number."""

from pathlib import Path

import pytest

from tests.spec.draft_races import check_that_no_text_is_lost, check_that_no_update_is_lost
from tests.stores import Store
from tests.table import open_table

pytestmark = pytest.mark.timeout(1200)
AGENTS = 32
EACH = 200


async def test_of_32_agents_who_rewrite_a_section_200_times_none_overwrites_another_unseen(
    store: Store, tmp_path: Path
) -> None:
    async with open_table(store, tmp_path) as table:
        await check_that_no_update_is_lost(table, await table.session(), AGENTS, EACH)


async def test_of_32_agents_who_write_a_section_200_times_unseen_every_text_is_kept(
    store: Store, tmp_path: Path
) -> None:
    async with open_table(store, tmp_path) as table:
        await check_that_no_text_is_lost(table, await table.session(), AGENTS, EACH)
