"""Ten thousand filters that nobody thought of: none shows a message to somebody whom it is not for."""

from pathlib import Path

from tests.spec.test_messages import try_random_filters
from tests.stores import Store
from tests.table import open_table


async def test_ten_thousand_random_filters_leak_nothing(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path) as table:
        await try_random_filters(table, 10_000)
