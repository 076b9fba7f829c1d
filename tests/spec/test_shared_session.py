"""The session that callers share who name none, and the one that a stdio process is told to make."""

from pathlib import Path

from longtable.kernel.clock import DAY, MINUTE, SECOND
from tests.browser import audited
from tests.listening import local, piped
from tests.spec.test_identity import status_and_code
from tests.stores import Store
from tests.table import Table, open_table


async def shared(table: Table) -> str:
    """The id of the session that a caller gets who names none."""
    return str((await table.agent("ada").calls("get_session"))["session"]["session_id"])


async def told_of(table: Table, session_id: str) -> list[str]:
    statement = "SELECT kind FROM events WHERE tenant = :tenant AND session_id = :session_id ORDER BY seq"
    rows = await table.app.database.read("default", lambda tx: tx.all(statement, session_id=session_id))
    return [str(row["kind"]) for row in rows]


async def test_a_shared_session_does_not_expire_while_it_is_used_by_its_id(table: Table) -> None:
    bound = table.agent("ada", await shared(table))

    for _ in range(3):
        table.clock.ahead += 20 * DAY
        await bound.adds_note("still in use")
    table.clock.ahead += 30 * DAY + MINUTE

    assert await status_and_code(bound) == (410, "SESSION_EXPIRED"), "nobody used it for its idle time"


async def test_the_session_of_a_stdio_process_does_not_expire_while_it_is_used(table: Table) -> None:
    async with piped(table.app, local("ada", "sess_named")) as pipe:
        for _ in range(3):
            await pipe.calls("read_notes")
            table.clock.ahead += 20 * DAY
        shown = await pipe.calls("get_session")

    assert shown["session"]["status"] == "active"


async def test_a_shared_session_that_is_used_often_is_prolonged_rarely(table: Table) -> None:
    bound = table.agent("ada", await shared(table))
    table.clock.ahead += DAY

    for _ in range(3):
        table.clock.ahead += MINUTE
        await bound.reads_notes()

    assert len(await audited(table.app, "default", "provision_session")) == 2


async def test_a_shared_session_that_one_server_closes_is_handed_out_by_none(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path) as one, open_table(store, tmp_path) as other:
        closed = await shared(other)
        assert await shared(one) == closed

        await one.agent("ada", closed).calls("close_session")
        other.clock.ahead += SECOND

        await other.agent("bob").adds_note("at the new table")
        assert await shared(other) == await shared(one) != closed


async def test_a_shared_session_found_expired_by_a_call_ends_with_its_event(table: Table) -> None:
    old = await shared(table)
    table.clock.ahead += 31 * DAY

    new = await shared(table)
    await table.app.jobs.run()

    assert new != old
    recorded = await audited(table.app, "default", "expire_session")
    assert [record["object"] for record in recorded] == [f"session:{old}"]
    assert await told_of(table, old) == ["session/created", "session/expired"]
    ended = await table.agent("ada").calls("list_sessions", status="expired")
    assert [session["session_id"] for session in ended["sessions"]] == [old]


async def test_a_session_that_somebody_made_ends_at_its_time_however_much_it_is_used(table: Table) -> None:
    bound = table.agent("ada", await table.session())
    table.clock.ahead = DAY - MINUTE
    await bound.adds_note("in time")

    table.clock.ahead = DAY + MINUTE

    assert await status_and_code(bound) == (410, "SESSION_EXPIRED")
