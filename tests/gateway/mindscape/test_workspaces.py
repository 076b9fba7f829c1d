"""Where a call takes place: one workspace for all or for each user, found or created exactly once."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from longtable.gateway.call_arguments import Context
from longtable.gateway.workspace_store import WorkspaceKey, claim
from longtable.gateway.workspaces import BackendProvisioning, BackendWorkspaces, SessionWorkspaces, title_of
from longtable.kernel.caller import Caller
from longtable.kernel.clock import DAY
from longtable.kernel.errors import CapacityLimitReached, LongtableError, NotFound, SessionMismatch, SessionNotFound
from longtable.storage.database import SYSTEM
from tests.gateway.mindscape.gateway import BackendGateway, agent, local, opened
from tests.gateway.mindscape.reference import ReferenceBackend
from tests.stores import Store

TITLE = "MCP Gateway Workspace"
CREATE = "POST /workspaces/"
MULTI = {"MINDSCAPE_GATEWAY_MODE": "multi_workspace"}


async def place_of(
    gateway: BackendGateway, caller: Caller, given: str | None = None, context: Context | None = None
) -> str:
    found = await gateway.workspaces.resolve(caller, given, context)
    assert found is not None
    return found


async def test_a_hundred_first_calls_create_one_workspace(gateway: BackendGateway, backend: ReferenceBackend) -> None:
    await backend.has(latency={"GET /workspaces/": 0.05, CREATE: 0.05})

    found = await asyncio.gather(*(place_of(gateway, local(f"agent{number}")) for number in range(100)))

    [result] = await backend.workspaces()
    assert set(found) == {result["id"]}
    assert result["title"] == TITLE
    assert await backend.times(CREATE) == 1


@pytest.mark.slow
async def test_two_replicas_create_one_workspace(replicated: Store, tmp_path: Path, backend: ReferenceBackend) -> None:
    await backend.has(latency={"GET /workspaces/": 0.1, CREATE: 0.1})

    async with (
        opened(replicated, tmp_path / "one", backend.url) as one,
        opened(replicated, tmp_path / "two", backend.url) as two,
    ):
        found = await asyncio.gather(*(place_of(each, local()) for each in (one, two) * 20))

    assert len(set(found)) == 1
    assert await backend.times(CREATE) == 1


async def test_a_workspace_is_remembered_over_a_restart(
    store: Store, tmp_path: Path, backend: ReferenceBackend
) -> None:
    """Also where the backend does not list what it has created for us."""
    await backend.has(owner_mismatch=True, identity="somebody")
    async with opened(store, tmp_path, backend.url) as gateway:
        first = await place_of(gateway, local())

    async with opened(store, tmp_path, backend.url) as gateway:
        second = await place_of(gateway, local())

    assert first == second
    assert await backend.times(CREATE) == 1


async def test_a_configured_workspace_needs_no_search(store: Store, tmp_path: Path, backend: ReferenceBackend) -> None:
    async with opened(store, tmp_path, backend.url, {"MINDSCAPE_WORKSPACE_ID": "w7"}) as gateway:
        found = await place_of(gateway, local())

    assert found == "w7"
    assert await backend.requests() == []


async def test_an_existing_one_is_found_by_its_title_and_owner(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    await backend.has(workspaces=[{"title": TITLE, "owner": "rival", "id": "w1"}, {"title": TITLE, "id": "w2"}])

    assert await place_of(gateway, local()) == "w2"
    assert await backend.times(CREATE) == 0


@pytest.mark.parametrize("limit", [50, 3])
async def test_it_is_found_on_whatever_page_it_is(
    gateway: BackendGateway, backend: ReferenceBackend, limit: int
) -> None:
    others = [{"title": f"other {number}"} for number in range(2 * limit + 1)]
    await backend.has(page_limit=limit, workspaces=[*others, {"title": TITLE, "id": "w9"}])

    assert await place_of(gateway, local()) == "w9"
    assert await backend.times(CREATE) == 0


async def test_a_backend_without_pages_is_not_asked_for_ever(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    await backend.has(ignores_offset=True, page_limit=2, workspaces=[{"title": f"other {n}"} for n in range(5)])

    await place_of(gateway, local())

    assert await backend.times("GET /workspaces/") == 2


@pytest.mark.parametrize(
    "fault",
    [{"statuses": {"GET /workspaces/": {"status": 500, "detail": "down"}}}, {"truncate": ["GET /workspaces/"]}],
)
async def test_a_search_that_fails_creates_nothing(
    gateway: BackendGateway, backend: ReferenceBackend, fault: dict[str, object]
) -> None:
    await backend.has(**fault)

    with pytest.raises(LongtableError) as problem:
        await place_of(gateway, local())
    await backend.has(statuses={}, truncate=[], workspaces=[{"title": TITLE, "id": "w3"}])

    assert problem.value.code == "UPSTREAM_ERROR"
    assert await backend.times(CREATE) == 0
    assert await place_of(gateway, local()) == "w3"


async def test_a_creation_that_fails_keeps_the_backends_reason(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    await backend.has(statuses={CREATE: {"status": 403, "detail": "too many workspaces"}})

    with pytest.raises(LongtableError) as problem:
        await asyncio.gather(*(place_of(gateway, local()) for _ in range(10)))

    assert (problem.value.code, problem.value.details["detail"]) == ("FORBIDDEN", "too many workspaces")
    assert await backend.times(CREATE) == 1


async def test_without_leave_to_create_there_is_none(store: Store, tmp_path: Path, backend: ReferenceBackend) -> None:
    async with opened(store, tmp_path, backend.url, {"MINDSCAPE_AUTO_PROVISION": "false"}) as gateway:
        with pytest.raises(NotFound):
            await place_of(gateway, local())

    assert await backend.times(CREATE) == 0


async def test_the_claim_of_a_process_that_died_is_taken_over(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    upstream = gateway.upstream
    key = WorkspaceKey(SYSTEM, f"{upstream.backend.root} {upstream.backend.profile_id}", "all")
    before = gateway.app.clock() - DAY
    await gateway.app.database.write(SYSTEM, lambda tx: claim(tx, key, TITLE, before))

    async with asyncio.timeout(40):
        await place_of(gateway, local())

    assert await backend.times(CREATE) == 1


@pytest.mark.parametrize("given", ["nobodys", "default-workspace"])
async def test_a_workspace_that_is_not_listed_may_not_be_named(
    gateway: BackendGateway, backend: ReferenceBackend, given: str
) -> None:
    with pytest.raises(NotFound):
        await gateway.calls(local(), "mindscape_tool_shop_list_orders", workspace_id=given)

    assert await backend.times("POST /tools/execute") == 0


async def test_a_listed_workspace_may_be_named(gateway: BackendGateway, backend: ReferenceBackend) -> None:
    await backend.has(workspaces=[{"title": "other", "id": "w5"}])

    await gateway.calls(local(), "mindscape_tool_shop_list_orders", workspace_id="w5")

    [sent] = await backend.requests("POST /tools/execute")
    assert sent["body"]["workspace_id"] == "w5"


async def test_each_user_has_a_workspace_of_their_own(store: Store, tmp_path: Path, backend: ReferenceBackend) -> None:
    async with opened(store, tmp_path, backend.url, MULTI) as gateway:
        alice, bob = await place_of(gateway, agent("alice")), await place_of(gateway, agent("bob"))
        again = await place_of(gateway, agent("alice"))
        elsewhere = await place_of(gateway, agent("alice", tenant="rival"))
        with pytest.raises(NotFound):
            await place_of(gateway, agent("alice"), given=bob)

    assert again == alice
    assert len({alice, bob, elsewhere}) == 3
    titles = {each["title"] for each in await backend.workspaces()}
    assert titles == {"external:alice", "external:bob", "rival::external:alice"}


async def test_only_who_speaks_for_others_may_say_who_the_user_is(
    store: Store, tmp_path: Path, backend: ReferenceBackend
) -> None:
    bob = Context(surface_type="line", surface_user_id="bob")
    async with opened(store, tmp_path, backend.url, MULTI) as gateway:
        await place_of(gateway, agent("alice"), context=bob)
        await place_of(gateway, local("alice"), context=bob)

    assert [each["title"] for each in await backend.workspaces()] == ["external:alice", "line:bob"]


async def test_the_user_of_a_call_is_read_from_its_context(
    store: Store, tmp_path: Path, backend: ReferenceBackend
) -> None:
    context = {"surface_type": "line", "surface_user_id": "bob"}

    async with opened(store, tmp_path, backend.url, MULTI) as gateway:
        await gateway.calls(local(), "mindscape_tool_shop_list_orders", inputs={}, _context=context)
        await gateway.calls(local(), "mindscape_tool_shop_list_orders", inputs={}, **context)

    [workspace] = await backend.workspaces()
    sent = await backend.requests("POST /tools/execute")
    assert workspace["title"] == "line:bob"
    assert [each["body"]["workspace_id"] for each in sent] == [workspace["id"]] * 2


async def test_users_whose_names_run_together_never_share(
    store: Store, tmp_path: Path, backend: ReferenceBackend
) -> None:
    await backend.has(workspaces=[{"title": "a:b:c", "id": "theirs"}])
    one, two = Context(surface_type="a", surface_user_id="b:c"), Context(surface_type="a:b", surface_user_id="c")

    async with opened(store, tmp_path, backend.url, MULTI) as gateway:
        found = {await place_of(gateway, local(), context=each) for each in (one, two)}

    assert len(found) == 2
    assert "theirs" not in found


def test_no_two_users_have_one_title() -> None:
    parts = ["a", "a:b", "b", "b:c", "c", ":", "%3A", "%", "a%3Ab", "::"]

    titles = [title_of(tenant, kind, user) for tenant in ("default", *parts) for kind in parts for user in parts]

    assert len(set(titles)) == len(titles)


async def test_an_existing_workspace_of_a_user_is_found(
    store: Store, tmp_path: Path, backend: ReferenceBackend
) -> None:
    await backend.has(workspaces=[{"title": "line:bob", "id": "w4"}])
    bob = Context(surface_type="line", surface_user_id="bob")

    async with opened(store, tmp_path, backend.url, MULTI) as gateway:
        assert await place_of(gateway, local(), context=bob) == "w4"


async def test_a_tenant_has_a_quota(gateway: BackendGateway) -> None:
    rules = BackendProvisioning("multi_workspace", None, TITLE, create=True, quota=3)
    places = BackendWorkspaces(gateway.upstream, gateway.app.ledger, rules)
    for number in range(3):
        await places.resolve(agent(f"agent{number}"), None, None)

    with pytest.raises(CapacityLimitReached):
        await places.resolve(agent("one too many"), None, None)
    assert await places.resolve(agent("another", tenant="rival"), None, None)


async def test_without_a_backend_a_workspace_is_a_session(gateway: BackendGateway) -> None:
    places = SessionWorkspaces(gateway.app.session_resolver)
    bound = local().inside("sess_one")

    assert await places.resolve(bound, None, None) == "sess_one"
    assert await places.resolve(local(), None, None) is None
    with pytest.raises(SessionNotFound):
        await places.resolve(local(), "sess_two", None)


async def test_a_bound_caller_may_not_name_another_session(gateway: BackendGateway) -> None:
    bound = replace(local().inside("sess_one"), bound=True)

    with pytest.raises(SessionMismatch):
        await SessionWorkspaces(gateway.app.session_resolver).resolve(bound, "sess_two", None)
