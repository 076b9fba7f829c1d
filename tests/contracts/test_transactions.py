"""What every store promises about a transaction."""

import asyncio
from typing import Any

import pytest

from longtable.kernel.errors import Conflict, StoreUnavailable
from longtable.storage import counters
from longtable.storage.database import SYSTEM, Transaction, UniqueViolation
from tests.stores import RecordingHooks, Store, count_of, counts

pytestmark = pytest.mark.anyio


async def fails(tx: Transaction) -> None:
    await counts()(tx)
    tx.defer("from a failed operation")
    raise Conflict("That is taken.")


async def inserts_fact(tx: Transaction) -> None:
    await tx.execute("INSERT INTO facts (name, value) VALUES ('color', 'red')")


async def test_a_write_is_seen_by_the_next_read(store: Store) -> None:
    database = await store.open()

    await database.write("acme", counts())

    assert await count_of(database, "acme") == 1


async def test_a_write_survives_reopening(store: Store) -> None:
    database = await store.open()
    await database.write("acme", counts())
    await database.close()

    reopened = await store.open()

    assert await count_of(reopened, "acme") == 1


@pytest.mark.parametrize("writers", [20, 200])
async def test_writes_at_once_are_all_kept_and_numbered_without_gaps(store: Store, writers: int) -> None:
    database = await store.open()

    numbers = await asyncio.gather(*(database.write("acme", counts()) for _ in range(writers)))

    assert sorted(numbers) == list(range(1, writers + 1))
    assert await count_of(database, "acme") == writers


async def test_tenants_count_each_for_itself_at_once(store: Store) -> None:
    database = await store.open()
    tenants = [f"tenant-{number}" for number in range(12)]

    await asyncio.gather(*(database.write(tenant, counts()) for tenant in tenants for _ in range(5)))

    assert [await count_of(database, tenant) for tenant in tenants] == [5] * 12


async def test_a_tenants_name_may_hold_quotes_and_backslashes(store: Store) -> None:
    database = await store.open()

    await database.write("o'neil\\'; --", counts())

    assert await count_of(database, "o'neil\\'; --") == 1


async def test_one_failing_operation_fails_alone(store: Store) -> None:
    database = await store.open()
    bodies: list[Any] = [counts(), fails, counts(), inserts_nothing_valid, fails, counts()]

    outcomes = await asyncio.gather(*(database.write("acme", body) for body in bodies), return_exceptions=True)

    assert [outcome if isinstance(outcome, int) else type(outcome) for outcome in outcomes] == [
        1,
        Conflict,
        2,
        StoreUnavailable,
        Conflict,
        3,
    ]
    assert await count_of(database, "acme") == 3


async def inserts_nothing_valid(tx: Transaction) -> None:
    await counts()(tx)
    await tx.execute("INSERT INTO no_such_table (tenant) VALUES (:tenant)")


async def test_a_lone_failing_operation_changes_nothing(store: Store) -> None:
    database = await store.open()

    with pytest.raises(Conflict):
        await database.write("acme", fails)

    assert await count_of(database, "acme") == 0


async def test_entries_are_handed_over_unless_their_operation_failed(store: Store) -> None:
    ledger = RecordingHooks()
    database = await store.open(ledger)

    def defers(entry: str) -> Any:
        async def body(tx: Transaction) -> None:
            tx.defer(entry)

        return body

    bodies = [defers("one"), fails, defers("two")]
    await asyncio.gather(*(database.write("acme", body) for body in bodies), return_exceptions=True)

    assert [entry for commit in ledger.prepared for entry in commit] == ["one", "two"]
    assert ledger.commits == ledger.prepared


async def test_entries_are_written_in_the_commit_of_their_operation(store: Store) -> None:
    database = await store.open(RecordingHooks())

    async def body(tx: Transaction) -> None:
        tx.defer("note added")

    await database.write("acme", body)

    async def names(tx: Transaction) -> list[Any]:
        return [row["name"] for row in await tx.all("SELECT name FROM facts WHERE name <> 'agent_names'")]

    assert await database.read(SYSTEM, names) == ["note added"]


async def test_when_the_entries_cannot_be_written_nothing_is_changed(store: Store) -> None:
    ledger = RecordingHooks(refuses=True)
    database = await store.open(ledger)

    async def body(tx: Transaction) -> None:
        await counts()(tx)
        tx.defer("entry")

    outcomes = await asyncio.gather(*(database.write("acme", body) for _ in range(5)), return_exceptions=True)

    assert [type(outcome) for outcome in outcomes] == [StoreUnavailable] * 5
    assert "did not commit" in str(outcomes[0])
    assert await count_of(database, "acme") == 0
    assert ledger.commits == []


async def test_a_commit_is_announced_once_on_the_loop_when_it_can_be_read(store: Store) -> None:
    ledger = RecordingHooks()
    database = await store.open(ledger)
    loop = asyncio.get_running_loop()
    reads: list[asyncio.Task[int]] = []
    ledger.on_commit = lambda: reads.append(loop.create_task(count_of(database, "acme")))

    async def body(tx: Transaction) -> None:
        await counts()(tx)
        tx.defer("entry")

    await database.write("acme", body)

    assert ledger.commits == [["entry"]]
    assert await asyncio.gather(*reads) == [1]


async def test_writers_at_once_share_commits(store: Store) -> None:
    ledger = RecordingHooks()
    database = await store.open(ledger)

    async def body(tx: Transaction) -> None:
        await counts()(tx)
        tx.defer("entry")

    await asyncio.gather(*(database.write("acme", body) for _ in range(64)))

    assert sum(len(commit) for commit in ledger.commits) == 64
    assert len(ledger.commits) <= 32


async def test_a_second_row_with_the_same_key_is_a_unique_violation(store: Store) -> None:
    database = await store.open()
    await database.write(SYSTEM, inserts_fact)

    with pytest.raises(UniqueViolation):
        await database.write(SYSTEM, inserts_fact)


async def test_an_operation_cannot_go_on_after_a_failed_statement(store: Store) -> None:
    database = await store.open()
    await database.write(SYSTEM, inserts_fact)

    async def swallows_failure(tx: Transaction) -> None:
        await tx.execute("INSERT INTO facts (name, value) VALUES ('size', 'big')")
        try:
            await inserts_fact(tx)
        except UniqueViolation:
            return

    with pytest.raises(RuntimeError, match="ON CONFLICT"):
        await database.write(SYSTEM, swallows_failure)

    async def facts(tx: Transaction) -> int:
        return len(await tx.all("SELECT name FROM facts WHERE name <> 'agent_names'"))

    assert await database.read(SYSTEM, facts) == 1


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT value FROM counters",
        "SELECT ':tenant' FROM counters",
        "SELECT value FROM counters -- of :tenant",
        "DELETE FROM counters /* :tenant */",
    ],
)
async def test_in_a_tenants_scope_a_statement_without_the_tenant_is_refused(store: Store, sql: str) -> None:
    database = await store.open()

    async def body(tx: Transaction) -> None:
        await tx.execute(sql)

    with pytest.raises(RuntimeError, match=":tenant"):
        await database.write("acme", body)
    with pytest.raises(RuntimeError, match=":tenant"):
        await database.read("acme", body)


async def test_in_a_tenants_scope_the_tenant_cannot_be_passed(store: Store) -> None:
    database = await store.open()

    async def body(tx: Transaction) -> None:
        await tx.first("SELECT value FROM counters WHERE tenant = :tenant", tenant="other")

    with pytest.raises(RuntimeError, match=":tenant"):
        await database.read("acme", body)


async def test_in_the_systems_scope_the_tenant_is_a_parameter_like_others(store: Store) -> None:
    database = await store.open()
    await database.write("acme", counts())

    async def body(tx: Transaction) -> Any:
        return await tx.first("SELECT tenant, value FROM counters WHERE tenant = :tenant", tenant="acme")

    assert await database.read(SYSTEM, body) == {"tenant": "acme", "value": 1}


@pytest.mark.parametrize("parameters", [{"nmae": "x"}, {"name": "x", "nmae": "x"}])
async def test_a_parameter_too_many_or_too_few_is_refused(store: Store, parameters: dict[str, str]) -> None:
    database = await store.open()

    async def body(tx: Transaction) -> None:
        await tx.all("SELECT 1 AS one WHERE :tenant = :name", **parameters)

    with pytest.raises(RuntimeError, match="nmae"):
        await database.read("acme", body)


async def test_execute_tells_how_many_rows_it_touched(store: Store) -> None:
    database = await store.open()

    async def body(tx: Transaction) -> tuple[int, int]:
        await tx.execute_many(
            "INSERT INTO counters (tenant, scope, name, value) VALUES (:tenant, 's', :name, :value)",
            [{"name": f"n{number}", "value": number} for number in range(5)],
        )
        changed = await tx.execute("UPDATE counters SET value = 9 WHERE tenant = :tenant AND value > 2")
        return changed, await tx.execute("DELETE FROM counters WHERE tenant = :tenant AND value = 77")

    assert await database.write("acme", body) == (2, 0)


async def test_a_failure_of_the_store_tells_neither_its_place_nor_the_statement(store: Store) -> None:
    database = await store.open()

    async def body(tx: Transaction) -> None:
        await tx.execute("SELECT secret_column FROM counters WHERE tenant = :tenant")

    with pytest.raises(StoreUnavailable) as failure:
        await database.write("acme", body)

    message = failure.value.message.lower()
    assert not [word for word in ("select", "secret", "counters", "longtable.db", "127.0.0.1", "/") if word in message]


async def test_a_caller_who_stops_waiting_does_not_disturb_the_others(store: Store) -> None:
    database = await store.open()
    tasks = [asyncio.create_task(database.write("acme", counts())) for _ in range(50)]
    await asyncio.sleep(0)

    for task in tasks[::2]:
        task.cancel()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)

    kept = [number for number in outcomes if isinstance(number, int)]
    assert len(kept) == len(set(kept)) >= 25
    assert await database.write("acme", counts()) == await count_of(database, "acme")


async def test_closing_finishes_what_was_queued(store: Store) -> None:
    database = await store.open()
    tasks = [asyncio.create_task(database.write("acme", counts())) for _ in range(100)]
    await asyncio.sleep(0)

    await database.close()

    assert sorted(await asyncio.gather(*tasks)) == list(range(1, 101))
    with pytest.raises(StoreUnavailable, match="closed"):
        await database.write("acme", counts())


async def test_a_read_modify_write_loses_no_update(store: Store) -> None:
    database = await store.open()
    await database.write("acme", counts())

    async def body(tx: Transaction) -> None:
        row = await tx.first("SELECT value FROM counters WHERE tenant = :tenant AND name = 'n'")
        assert row is not None
        await tx.execute("UPDATE counters SET value = :value WHERE tenant = :tenant", value=row["value"] + 1)

    await asyncio.gather(*(database.write("acme", body) for _ in range(20)))

    assert await count_of(database, "acme") == 21


async def test_a_counter_goes_on_by_one_or_as_asked_and_not_for_an_operation_that_fails(store: Store) -> None:
    database = await store.open()

    async def takes_two_numbers(tx: Transaction) -> list[int]:
        return [await counters.advance(tx, "s", "task"), await counters.advance(tx, "s", "task", 3)]

    async def takes_one_and_fails(tx: Transaction) -> None:
        await counters.advance(tx, "s", "task")
        raise Conflict("That is taken.")

    numbers = await database.write("acme", takes_two_numbers)
    with pytest.raises(Conflict):
        await database.write("acme", takes_one_and_fails)

    assert numbers == [1, 4]
    assert await database.read("acme", lambda tx: counters.current(tx, "s", "task")) == 4
    assert await database.read("acme", lambda tx: counters.current(tx, "s", "section")) == 0
