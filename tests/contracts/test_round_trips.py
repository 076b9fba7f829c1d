"""PostgreSQL is far away: how often a write waits for it, and what operations that share a message may rely on."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from longtable.kernel.errors import NotFound
from longtable.storage.database import Transaction, UniqueViolation
from longtable.storage.postgres_buffer import literal_text
from longtable.storage.statements import parse
from tests.postgres_proxy import Proxy, proxy_to
from tests.stores import RecordingHooks, Store, count_of, counts
from tests.table import Table, open_table

pytestmark = pytest.mark.anyio

ROUND_TRIPS = 4
INSERT = "INSERT INTO counters (tenant, scope, name, value) VALUES (:tenant, 's', :name, 1)"


def adds(name: str) -> Callable[[Transaction], Awaitable[int]]:
    async def body(tx: Transaction) -> int:
        number = await counts()(tx)
        await tx.enqueue(INSERT, name=name)
        tx.defer(name)
        return number

    return body


async def test_a_note_and_a_message_take_few_round_trips(replicated: Store, tmp_path: Path) -> None:
    async with (
        proxy_to(replicated.address) as proxy,
        open_table(Store("postgresql", proxy.address), tmp_path) as table,
    ):
        ann = table.agent("ann", await table.session("sess_one"))
        for content in ("learns", "the", "statements"):
            await ann.calls("add_note", content=content, tags=["a", "b"])
            await ann.calls("add_message", content=content)
        proxy.round_trips.clear()

        await ann.calls("add_note", content="one", tags=["a", "b"])
        await ann.calls("add_message", content="one")

        assert max(proxy.round_trips) <= ROUND_TRIPS


async def test_the_server_keeps_the_statements_of_a_write_prepared(replicated: Store, tmp_path: Path) -> None:
    async with (
        proxy_to(replicated.address) as proxy,
        open_table(Store("postgresql", proxy.address), tmp_path) as table,
    ):
        ann = table.agent("ann", await table.session("sess_one"))
        await ann.calls("add_note", content="learns the statements", tags=["a"])
        proxy.commits.clear()

        await ann.calls("add_note", content="O'Brien's \\ note", tags=["a"])

        (commit,) = proxy.commits
        assert b"EXECUTE" in commit
        assert b"INSERT INTO" not in commit
        assert [note["content"] for note in await ann.reads_notes()][-1] == "O'Brien's \\ note"


async def test_writers_of_one_tenant_share_round_trips_far_away(replicated: Store) -> None:
    async with proxy_to(replicated.address) as proxy:
        database = await Store("postgresql", proxy.address, replicated.opened).open()
        await asyncio.gather(*(database.append("acme", adds(f"warm {n}")) for n in range(20)))
        proxy.round_trips.clear()

        numbers = await asyncio.gather(*(database.append("acme", adds(f"row {n}")) for n in range(40)))

        assert sorted(numbers) == list(range(21, 61))
        assert sum(proxy.round_trips) <= 20
        assert [await count_of(database, "acme", f"row {n}") for n in range(40)] == [1] * 40


async def test_many_writers_of_one_tenant_are_not_bound_by_the_network(replicated: Store, tmp_path: Path) -> None:
    async with proxy_to(replicated.address) as proxy:
        proxy.seconds = 0.002
        async with open_table(Store("postgresql", proxy.address), tmp_path) as table:
            await check_round_trips_of_many(table, proxy)


async def check_round_trips_of_many(table: Table, proxy: Proxy) -> None:
    session = await table.session("sess_one")
    agents = [table.agent(f"agent-{n}", session) for n in range(64)]
    await asyncio.gather(*(agent.adds_note("learns the statements") for agent in agents))
    proxy.round_trips.clear()

    for _ in range(3):
        await asyncio.gather(*(agent.adds_note("one of many") for agent in agents))

    # Whatever the machine can do: with 2 ms in each direction, the network allows so many writes a second.
    assert 3 * 64 / (sum(proxy.round_trips) * 2 * proxy.seconds) >= 400
    assert len({note["id"] for note in await agents[0].reads_notes(limit=256)}) >= 200


async def test_one_that_fails_beside_others_fails_alone(store: Store) -> None:
    ledger = RecordingHooks()
    database = await store.open(ledger)

    async def refuses_after_a_write(tx: Transaction) -> int:
        await counts()(tx)
        raise NotFound("no")

    bodies = [adds("a"), adds("b"), refuses_after_a_write, adds("a"), adds("c")]
    results = await asyncio.gather(*(database.append("acme", body) for body in bodies), return_exceptions=True)

    assert sorted(number for number in results if isinstance(number, int)) == [1, 2, 3]
    assert [type(error) for error in results if isinstance(error, Exception)] == [NotFound, UniqueViolation]
    assert sorted(entry for commit in ledger.commits for entry in commit) == ["a", "b", "c"]


async def test_a_statement_sees_what_its_operation_has_enqueued(store: Store) -> None:
    database = await store.open()

    async def body(tx: Transaction) -> int:
        await tx.enqueue(INSERT, name="mine")
        await tx.enqueue("UPDATE counters SET value = 7 WHERE tenant = :tenant AND name = :name", name="mine")
        row = await tx.first("SELECT value FROM counters WHERE tenant = :tenant AND name = 'mine'")
        assert row is not None
        return int(row["value"])

    assert await database.append("acme", body) == 7
    assert await database.write("globex", body) == 7
    assert await asyncio.gather(*(database.append(f"tenant {n}", body) for n in range(3))) == [7, 7, 7]


@pytest.mark.parametrize(
    "text", ["it's", "back\\slash", "quote\\'", "new\nline", "$1 :name %s", "snow ☃", "", "--", "/*"]
)
async def test_a_text_in_a_message_is_stored_as_it_is(store: Store, text: str) -> None:
    database = await store.open()

    async def body(tx: Transaction) -> None:
        await tx.enqueue(INSERT, name=text)

    await database.write("acme", body)

    assert await count_of(database, "acme", text) == 1


def test_values_stand_in_the_text_of_a_statement() -> None:
    statement = parse("SELECT :a, ':b', :b, :a, :none, :bytes")

    text = literal_text(statement, [-1, "o'clock", None, b"\x00\xff"])

    assert text == "SELECT (-1), ':b', E'o''clock', (-1), NULL, '\\x00ff'::bytea"
