"""What several servers on one PostgreSQL may rely on."""

import asyncio
from typing import Any

import asyncpg
import pytest

from longtable.kernel.errors import ConfigError, StoreUnavailable
from longtable.storage import postgres_writer
from longtable.storage.database import SYSTEM, Transaction
from longtable.storage.postgres import PostgresDatabase
from tests.schemas import PostgresLogin
from tests.stores import RecordingHooks, Store, count_of, counts

pytestmark = pytest.mark.anyio


async def adds_one_slowly(tx: Transaction) -> None:
    row = await tx.first("SELECT value FROM counters WHERE tenant = :tenant AND name = 'n'")
    assert row is not None
    await tx.execute("UPDATE counters SET value = :value WHERE tenant = :tenant", value=row["value"] + 1)


async def kills_its_connection(tx: Transaction) -> None:
    await tx.execute("SELECT pg_terminate_backend(pg_backend_pid()) WHERE :tenant <> ''")


async def test_two_replicas_lose_no_update_of_one_tenant(replicated: Store) -> None:
    one, two = await replicated.open(), await replicated.open()
    await one.write("acme", counts())

    await asyncio.gather(*(replica.write("acme", adds_one_slowly) for replica in (one, two) for _ in range(20)))

    assert await count_of(one, "acme") == 41


async def test_a_tenant_does_not_wait_for_another(replicated: Store) -> None:
    database = await replicated.open()
    other_is_done = asyncio.Event()

    async def waits_for_the_other(tx: Transaction) -> int:
        await asyncio.wait_for(other_is_done.wait(), 40)
        return await counts()(tx)

    waiting = asyncio.create_task(database.write("acme", waits_for_the_other))
    await database.write("globex", counts())
    other_is_done.set()

    assert await waiting == 1


async def test_the_server_itself_shows_a_tenant_its_own_rows_only(replicated: Store) -> None:
    database = await replicated.open()
    await database.write("acme", counts())
    await database.write("globex", counts())
    raw = await asyncpg.connect(replicated.address)

    async def tenants_shown_to(scope: str) -> list[Any]:
        await raw.execute("SELECT set_config('longtable.tenant', $1, false)", scope)
        return [row["tenant"] for row in await raw.fetch("SELECT tenant FROM counters ORDER BY tenant")]

    assert await raw.fetch("SELECT tenant FROM counters") == []
    assert await tenants_shown_to("acme") == ["acme"]
    assert await tenants_shown_to("nobody") == []
    assert await tenants_shown_to(SYSTEM) == ["acme", "globex"]
    assert await tenants_shown_to("acme") == ["acme"]
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await raw.execute("INSERT INTO counters VALUES ('globex', 's', 'forged', 1)")
    await raw.close()


async def test_readers_of_many_tenants_share_connections_and_see_their_own(replicated: Store) -> None:
    database = await replicated.open()
    tenants = [f"tenant-{number}" for number in range(20)]
    await asyncio.gather(*(database.write(tenant, counts()) for tenant in tenants))

    async def everything(tx: Transaction) -> list[Any]:
        return [row["tenant"] for row in await tx.all("SELECT tenant FROM counters WHERE :tenant <> ''")]

    seen = await asyncio.gather(*(database.read(tenant, everything) for tenant in tenants * 3))

    assert seen == [[tenant] for tenant in tenants * 3]


async def test_a_lost_connection_fails_its_batch_and_the_next_one_works(
    replicated: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a busy machine the first would else have a commit of its own.
    monkeypatch.setattr(postgres_writer, "BATCH_SECONDS", 5.0)
    database = await replicated.open()
    bodies: list[Any] = [counts(), kills_its_connection, counts()]

    outcomes = await asyncio.gather(*(database.write("acme", body) for body in bodies), return_exceptions=True)

    assert [type(outcome).__base__ for outcome in outcomes[:2]] == [StoreUnavailable] * 2
    assert "cannot be reached" in str(outcomes[1])
    assert outcomes[2] == await count_of(database, "acme") == 1


async def test_after_a_lost_connection_the_next_read_works(replicated: Store) -> None:
    database = await replicated.open()

    with pytest.raises(StoreUnavailable):
        await database.read("acme", kills_its_connection)

    assert await count_of(database, "acme") == 0


async def test_a_deadlock_is_tried_again(replicated: Store) -> None:
    database = await replicated.open()
    both_hold_one = asyncio.Barrier(2)
    runs: list[str] = []

    def locks(first: str, second: str) -> Any:
        async def body(tx: Transaction) -> int:
            runs.append(first)
            await tx.execute("SELECT pg_advisory_xact_lock(hashtext(:key)) WHERE :tenant <> ''", key=first)
            if len(runs) <= 2:
                await both_hold_one.wait()
            await tx.execute("SELECT pg_advisory_xact_lock(hashtext(:key)) WHERE :tenant <> ''", key=second)
            return await counts()(tx)

        return body

    bodies = {"acme": locks("left", "right"), "globex": locks("right", "left")}
    outcomes = await asyncio.gather(*(database.write(tenant, body) for tenant, body in bodies.items()))

    assert outcomes == [1, 1]
    assert len(runs) == 3


async def test_a_replica_wakes_the_others_and_not_itself(replicated: Store) -> None:
    one, two = await replicated.open(), await replicated.open()
    assert isinstance(one, PostgresDatabase)
    assert isinstance(two, PostgresDatabase)
    heard_by_one: list[str] = []
    heard_by_two: asyncio.Queue[str] = asyncio.Queue()
    await one.listen(heard_by_one.append)
    await two.listen(heard_by_two.put_nowait)

    for payload in ("acme 1", "globex 1", "acme 1"):
        one.wake(payload)

    assert [await asyncio.wait_for(heard_by_two.get(), 40) for _ in range(2)] == ["acme 1", "globex 1"]
    assert heard_by_one == []


async def test_more_wakeups_than_fit_into_one_become_a_wakeup_for_all(replicated: Store) -> None:
    one, two = await replicated.open(), await replicated.open()
    assert isinstance(one, PostgresDatabase)
    assert isinstance(two, PostgresDatabase)
    heard: asyncio.Queue[str] = asyncio.Queue()
    await two.listen(heard.put_nowait)

    for number in range(2000):
        one.wake(f"tenant-{number} 1")

    assert await asyncio.wait_for(heard.get(), 40) == ""


async def test_a_listener_that_lost_its_connection_listens_again(replicated: Store, postgres: PostgresLogin) -> None:
    one, two = await replicated.open(), await replicated.open()
    assert isinstance(one, PostgresDatabase)
    assert isinstance(two, PostgresDatabase)
    heard: asyncio.Queue[str] = asyncio.Queue()
    await two.listen(heard.put_nowait)

    admin = await asyncpg.connect(postgres.admin_url)
    await admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN %'")
    await admin.close()

    assert await asyncio.wait_for(heard.get(), 40) == ""
    one.wake("acme 2")
    assert await asyncio.wait_for(heard.get(), 40) == "acme 2"


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("postgresql://bob:pa55word@127.0.0.1:1/longtable", StoreUnavailable),
        ("postgresql://bob:pa55word@127.0.0.1:port/longtable", ConfigError),
    ],
)
async def test_a_server_that_does_not_answer_is_reported_without_the_password(url: str, error: type[Exception]) -> None:
    with pytest.raises(error) as failure:
        await PostgresDatabase.open(url, RecordingHooks())

    assert "pa55word" not in str(failure.value)
    assert "127.0.0.1" not in str(failure.value)


async def test_a_login_that_is_refused_is_a_matter_of_configuration(postgres: PostgresLogin) -> None:
    stranger = PostgresLogin(postgres.admin_url, "nobody_knows_me", "pa55word")

    with pytest.raises(ConfigError) as failure:
        await PostgresDatabase.open(stranger.url("public"), RecordingHooks())

    assert "pa55word" not in failure.value.message


async def test_a_search_path_that_leads_nowhere_is_refused(postgres: PostgresLogin) -> None:
    with pytest.raises(ConfigError, match="schema"):
        await PostgresDatabase.open(postgres.url("nowhere"), RecordingHooks())
