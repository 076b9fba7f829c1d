"""Auth is switched on: what was made without it belongs to the first tenant that is named, once for a store."""

from pathlib import Path

import pytest

from longtable.kernel.caller import Role
from longtable.kernel.errors import ConfigError
from tests.browser import audited
from tests.spec.test_identity import token
from tests.stores import Store
from tests.table import Refused, Table, open_table

pytestmark = pytest.mark.slow

ACME = "acme:acme-secret"
BOTH = "rival:rival-secret,acme:acme-secret"


async def works_without_auth(table: Table) -> None:
    await table.session("sess_one")
    alice = table.agent("alice", "sess_one")
    await alice.calls("add_note", content="made without auth", tags=["early"])
    await alice.calls("add_message", content="said without auth")
    await alice.calls("scratch_create", scratch_id="early")


async def notes(table: Table, secret: str = "acme-secret") -> list[tuple[str, str]]:
    read = await table.agent(None, "sess_one", secret).calls("read_notes", tag="early")
    return [(note["content"], note["author"]) for note in read["notes"]]


async def chain_of(table: Table, tenant: str) -> dict[str, object]:
    owner = table.agent(None, None, await token(table, tenant, Role.OWNER, name="of-the-chain"))
    state: dict[str, object] = (await owner.client.post("/audit/verify")).json()
    return state


async def test_the_first_tenant_gets_what_was_made_without_auth(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path) as table:
        await works_without_auth(table)

    async with open_table(store, tmp_path, auth_tokens=BOTH) as table:
        found = await notes(table, "rival-secret")
        with pytest.raises(Refused, match="SESSION_NOT_FOUND"):
            await notes(table)
        state = await chain_of(table, "rival")

    assert found == [("made without auth", "alice")]
    assert state["holds"] is True


async def test_the_audit_log_of_a_tenant_that_had_tokens_alone_stays_whole(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path) as table:
        await works_without_auth(table)
        await token(table, "acme", Role.OWNER)

    async with open_table(store, tmp_path, auth_tokens=ACME) as table:
        found, state = await notes(table), await chain_of(table, "acme")
        caller = table.agent(None, "sess_one", "acme-secret")
        messages = (await caller.calls("get_messages"))["messages"]
        scratchpads = (await caller.calls("scratch_list"))["scratchpads"]
        await caller.calls("add_note", content="made with auth")
        events = (await caller.calls("read_events"))["events"]

    assert found == [("made without auth", "alice")]
    assert [message["content"] for message in messages] == ["said without auth"]
    assert [scratchpad["scratch_id"] for scratchpad in scratchpads] == ["early"]
    assert [event["seq"] for event in events] == [1, 2, 3, 4, 5], "events are numbered on where they were"
    assert state["holds"] is True


async def test_a_tenant_with_work_of_its_own_gets_nothing(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path, auth_tokens=ACME) as table:
        await table.agent(None, None, "acme-secret").calls("create_session", session_id="sess_own")
    async with open_table(store, tmp_path, auth="off") as table:
        await works_without_auth(table)

    async with open_table(store, tmp_path, auth_tokens=ACME) as table:
        with pytest.raises(Refused, match="SESSION_NOT_FOUND"):
            await notes(table)
    async with open_table(store, tmp_path, auth="off") as table:
        assert (await table.agent("alice", "sess_one").calls("read_notes"))["count"] == 1


async def test_nothing_moves_where_the_operator_declines(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path) as table:
        await works_without_auth(table)

    async with open_table(store, tmp_path, auth_tokens=ACME, adopt_default_tenant="false") as table:
        with pytest.raises(Refused, match="SESSION_NOT_FOUND"):
            await notes(table)


@pytest.mark.parametrize(("principal", "problem"), [("*", "stands for all"), ("a" * 101, "100 characters")])
async def test_a_principal_that_cannot_be_a_tenant_stops_the_start_and_moves_nothing(
    store: Store, tmp_path: Path, principal: str, problem: str
) -> None:
    async with open_table(store, tmp_path) as table:
        await works_without_auth(table)

    with pytest.raises(ConfigError, match=problem):
        async with open_table(store, tmp_path, auth_tokens=f"{principal}:secret"):
            pass

    async with open_table(store, tmp_path, auth_tokens=ACME) as table:
        assert await notes(table) == [("made without auth", "alice")]


async def test_a_token_file_is_not_made_of_a_principal_that_is_refused(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"

    with pytest.raises(ConfigError, match="stands for all"):
        async with open_table(store, tmp_path, auth_tokens="*:secret", auth_token_file=str(file)):
            pass

    assert not file.exists()


async def test_an_adoption_is_recorded_once_and_where_there_was_one(store: Store, tmp_path: Path) -> None:
    recorded: dict[str, list[str]] = {}

    async def starts(name: str, tenant: str) -> None:
        async with open_table(store, tmp_path, auth_tokens=f"{tenant}:secret") as table:
            records = await audited(table.app, tenant, "adopt_default_tenant")
            recorded[name] = [record["object"] for record in records]

    async with open_table(store, tmp_path) as table:
        await works_without_auth(table)
    await starts("into itself", "default")
    await starts("into another tenant", "acme")
    await starts("again", "acme")
    await starts("into the next tenant", "rival")

    assert recorded == {
        "into itself": [],
        "into another tenant": ["tenant:default"],
        "again": ["tenant:default"],
        "into the next tenant": [],
    }


@pytest.mark.parametrize("has_work", [False, True], ids=["nothing to move", "a tenant with work of its own"])
async def test_no_adoption_is_recorded_where_nothing_moved(store: Store, tmp_path: Path, has_work: bool) -> None:
    if has_work:
        async with open_table(store, tmp_path, auth_tokens=ACME, adopt_default_tenant="false") as table:
            await table.agent(None, None, "acme-secret").calls("create_session", session_id="sess_own")
        async with open_table(store, tmp_path, auth="off") as table:
            await works_without_auth(table)

    async with open_table(store, tmp_path, auth_tokens=ACME) as table:
        records = await audited(table.app, "acme", "adopt_default_tenant")

    assert records == []
