"""PostgreSQL through a pooler in transaction mode: every transaction may get another connection."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from longtable.kernel.errors import NotFound
from longtable.storage.database import SYSTEM, Transaction
from longtable.storage.postgres import PostgresDatabase, PostgresOptions
from tests.pgbouncer import CONNECTIONS, connections_of, pooled_url, pooler_to
from tests.postgres_proxy import proxy_to
from tests.schemas import PostgresLogin
from tests.stores import RecordingHooks, Store, count_of, counts
from tests.table import open_table

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def port(postgres: PostgresLogin) -> Iterator[int]:
    with pooler_to(postgres) as opened:
        yield opened


@pytest.fixture
async def pooled(postgres: PostgresLogin, port: int) -> AsyncIterator[Store]:
    async with postgres.schemas.prepared() as schema:
        options = PostgresOptions(has_pooler=True, direct_url=postgres.url(schema))
        place = Store("postgresql", pooled_url(postgres, port, schema), options=options)
        yield place
        for database in place.opened:
            await database.close()


async def test_many_tenants_share_few_connections_and_see_their_own_rows(
    pooled: Store, postgres: PostgresLogin
) -> None:
    one, two = await pooled.open(), await pooled.open()
    tenants = [f"tenant {n}" for n in range(20)]

    for _ in range(3):
        await asyncio.gather(*(database.write(tenant, counts()) for tenant in tenants for database in (one, two)))
    found = await asyncio.gather(*(count_of(one, tenant) for tenant in tenants))

    assert found == [6] * 20
    assert await connections_of(postgres) <= CONNECTIONS

    async def rows(tx: Transaction) -> int:
        return len(await tx.all("SELECT tenant FROM counters WHERE :tenant <> ''"))

    # The server itself shows a tenant its own rows only, whichever connection it got.
    assert await asyncio.gather(*(one.read(tenant, rows) for tenant in tenants)) == [1] * 20


async def test_writers_of_one_tenant_lose_nothing_and_one_that_fails_fails_alone(pooled: Store) -> None:
    ledger = RecordingHooks()
    one, two = await pooled.open(ledger), await pooled.open()

    async def refuses(tx: Transaction) -> int:
        await counts()(tx)
        raise NotFound("no")

    bodies = [counts() if n % 10 else refuses for n in range(60)]
    results = await asyncio.gather(
        *((one, two)[n % 2].append("acme", body) for n, body in enumerate(bodies)), return_exceptions=True
    )

    assert sorted(number for number in results if isinstance(number, int)) == list(range(1, 55))
    assert sum(isinstance(error, NotFound) for error in results) == 6


async def test_a_schema_is_made_through_the_pooler(postgres: PostgresLogin, port: int) -> None:
    async with postgres.schemas.new() as schema:
        options = PostgresOptions(has_pooler=True)
        database = await PostgresDatabase.open(pooled_url(postgres, port, schema), RecordingHooks(), options=options)

        assert await database.write("acme", counts()) == 1
        assert (await database.check()).problem is None

        await database.close()


async def test_wake_ups_come_over_the_direct_connection(pooled: Store) -> None:
    one, two = await pooled.open(), await pooled.open()
    assert isinstance(one, PostgresDatabase)
    assert isinstance(two, PostgresDatabase)
    woken: asyncio.Queue[str] = asyncio.Queue()
    await two.listen(woken.put_nowait)

    one.wake("news")

    assert await asyncio.wait_for(woken.get(), 5) == "news"


async def test_without_a_direct_connection_all_wake_up_every_second(postgres: PostgresLogin, port: int) -> None:
    async with postgres.schemas.prepared() as schema:
        options = PostgresOptions(has_pooler=True)
        database = await PostgresDatabase.open(pooled_url(postgres, port, schema), RecordingHooks(), options=options)
        woken: asyncio.Queue[str] = asyncio.Queue()
        await database.listen(woken.put_nowait)

        assert await asyncio.wait_for(woken.get(), 5) == ""

        await database.close()


async def test_a_commit_whose_reply_was_lost_is_looked_up_through_the_pooler(pooled: Store, tmp_path: Path) -> None:
    assert pooled.options is not None
    assert pooled.options.direct_url is not None
    async with (
        proxy_to(pooled.address) as proxy,
        open_table(
            Store("postgresql", proxy.address),
            tmp_path,
            postgres_pooler="transaction",
            postgres_direct=pooled.options.direct_url,
        ) as table,
    ):
        ann = table.agent("ann", await table.session("sess_one"))
        await ann.adds_note("before")
        proxy.cut_next = "after the commit is done"

        await ann.adds_note("cut")

        assert proxy.cuts == 1
        assert [note["content"] for note in await ann.reads_notes()] == ["before", "cut"]


async def test_the_programs_own_work_sees_all_tenants(pooled: Store) -> None:
    database = await pooled.open()
    await database.write("acme", counts())
    await database.write("globex", counts())

    rows = await database.read(SYSTEM, lambda tx: tx.all("SELECT tenant FROM counters ORDER BY tenant"))

    assert [row["tenant"] for row in rows] == ["acme", "globex"]
