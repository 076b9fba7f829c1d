"""Whose process it is: of all tenants, of one, or of one session."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from longtable.kernel.caller import Role
from longtable.sessions.jobs import PeriodicJob
from longtable.upstreams.directory import UpstreamDirectory
from tests.conformance.node import node
from tests.gateway.hostile.entries import hostile_json
from tests.gateway.slice.gateway import AUTH_ON, LIST, CallResponse, GatewayServer, names, opened, use
from tests.gateway.upstreams.test_node_servers import PACKAGES, packages
from tests.stores import Store
from tests.table import Agent

__all__ = ["packages"]

ENVIRONMENT = "mindscape_tool_calm_environment"
RULES = [{"match": "calm.*", "layer": "tool"}]


@asynccontextmanager
async def with_calm(store: Store, tmp_path: Path, **more: Any) -> AsyncIterator[GatewayServer]:
    """Two tenants and a server that tells how it was started; `more` are keys of its entry."""
    async with opened(store, tmp_path, AUTH_ON, servers={"calm": hostile_json("calm", **more)}, rules=RULES) as gateway:
        yield gateway


def of(gateway: GatewayServer, tenant: str, session: str | None = None) -> Agent:
    return gateway.agent("alice", session, f"{tenant}-secret")


async def started_with(agent: Agent) -> dict[str, Any]:
    """The environment of the process that answers, and its number."""
    await until_listed(agent, ENVIRONMENT)
    answer = await use(agent, ENVIRONMENT)
    assert answer.code == "SUCCESS", answer.result
    return {**answer.structured["environment"], "process": answer.structured["session"]}


async def until_listed(agent: Agent, tool: str) -> None:
    """A list does not wait for programs that take long to start."""

    async def is_listed() -> bool:
        return tool in await names(agent)

    await until(is_listed)


async def view_of(gateway: GatewayServer, name: str, role: Role = Role.OWNER) -> dict[str, Any]:
    upstreams = (await (await gateway.person(role=role)).get("/upstreams")).json()["upstreams"]
    found: dict[str, Any] = next(upstream for upstream in upstreams if upstream["name"] == name)
    return found


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(30):
        while not await holds():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


def directory_of(gateway: GatewayServer) -> UpstreamDirectory:
    return gateway.table.app.slices.gateway.dependencies.upstreams


def job_that_ends_upstreams(gateway: GatewayServer) -> PeriodicJob:
    return next(job for job in gateway.table.app.all_jobs() if job.name == "end_unused_upstreams")


async def test_each_tenant_has_a_process_of_its_own(store: Store, tmp_path: Path) -> None:
    async with with_calm(store, tmp_path, env={"FILE": "${LONGTABLE_INSTANCE_DIR}/of-${LONGTABLE_TENANT}"}) as gateway:
        acme, rival = [await started_with(of(gateway, tenant)) for tenant in ("acme", "rival")]
        again = await started_with(of(gateway, "acme"))
        view = await view_of(gateway, "calm")

    assert acme["process"] != rival["process"]
    assert acme["process"] == again["process"]
    assert [each["LONGTABLE_TENANT"] for each in (acme, rival)] == ["acme", "rival"]
    assert acme["LONGTABLE_INSTANCE_DIR"] != rival["LONGTABLE_INSTANCE_DIR"]
    assert "of-rival" not in os.listdir(acme["LONGTABLE_INSTANCE_DIR"])
    assert rival["FILE"] == f"{rival['LONGTABLE_INSTANCE_DIR']}/of-rival"
    assert (view["scope"], view["instances"], view["warning"]) == ("tenant", 1, None)


async def test_a_shared_program_is_one_process_and_says_so(store: Store, tmp_path: Path) -> None:
    async with with_calm(store, tmp_path, scope="shared") as gateway:
        acme, rival = [await started_with(of(gateway, tenant)) for tenant in ("acme", "rival")]
        view = await view_of(gateway, "calm")

    assert acme["process"] == rival["process"]
    assert "LONGTABLE_TENANT" not in acme
    assert (view["scope"], view["instances"]) == ("shared", 1)
    assert "the others can read" in view["warning"]


async def test_each_session_has_a_process_of_its_own_which_ends_with_it(store: Store, tmp_path: Path) -> None:
    async with with_calm(store, tmp_path, scope="session") as gateway:
        for session in ("sess_one", "sess_two"):
            await of(gateway, "acme").calls("create_session", session_id=session)
        one, two = [await started_with(of(gateway, "acme", session)) for session in ("sess_one", "sess_two")]
        await until_listed(of(gateway, "acme"), ENVIRONMENT)
        without = await use(of(gateway, "acme"), ENVIRONMENT)
        await of(gateway, "acme", "sess_one").calls("close_session", session_id="sess_one")
        await job_that_ends_upstreams(gateway).run()
        left = directory_of(gateway).sessions()

    assert one["process"] != two["process"]
    assert one["LONGTABLE_SESSION"] == "sess_one"
    assert without.code == "MISSING_SESSION_ID"
    assert left == {("acme", "sess_two")}


async def test_each_process_ends_the_upstreams_of_sessions_that_are_over(store: Store, tmp_path: Path) -> None:
    async with with_calm(store, tmp_path, scope="session") as gateway:
        job = job_that_ends_upstreams(gateway)

    assert job.in_each_process


@pytest.mark.in_process("changes the program where it runs")
async def test_what_nobody_calls_ends_and_starts_again(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longtable.upstreams.instance_limits.LOOK_SECONDS", 0.05)
    async with with_calm(store, tmp_path, idle_timeout=0.2) as gateway:
        agent = of(gateway, "acme")
        first = await started_with(agent)
        await until(lambda: _has_ended(gateway))
        listed = await names(agent)
        after_the_list = (await view_of(gateway, "calm"))["health"]
        second = await started_with(agent)

    assert ENVIRONMENT in listed
    assert after_the_list == "idle"
    assert first["process"] != second["process"]


async def _has_ended(gateway: GatewayServer) -> bool:
    instance = directory_of(gateway).find("acme", "calm")
    return instance is not None and instance.upstream.health == "idle"


@pytest.mark.in_process("changes the program where it runs")
async def test_no_more_processes_run_than_are_allowed(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with with_calm(store, tmp_path, max_instances=1) as gateway:
        first = await started_with(of(gateway, "acme"))
        refused = await use(of(gateway, "rival"), ENVIRONMENT)
        monkeypatch.setattr("longtable.upstreams.instance_limits.SPARED_SECONDS", 0.0)
        second = await started_with(of(gateway, "rival"))

    assert refused.code in ("CAPACITY_LIMIT_REACHED", "NOT_FOUND")
    assert first["process"] != second["process"]


async def test_an_upstream_of_one_tenant_is_seen_by_that_tenant_alone(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, AUTH_ON, rules=RULES) as gateway:
        await adds_calm(gateway)
        await until_listed(of(gateway, "acme"), ENVIRONMENT)
        own = await use(of(gateway, "acme"), ENVIRONMENT)
        others = await use(of(gateway, "rival"), ENVIRONMENT)
        listed = await names(of(gateway, "rival"))
        status = {
            tenant: (await (await gateway.person(tenant, role=Role.OWNER)).get("/status")).json()["upstreams"]
            for tenant in ("acme", "rival")
        }

    assert (own.code, others.code) == ("SUCCESS", "NOT_FOUND")
    assert ENVIRONMENT not in listed
    assert "calm" in {each["name"] for each in status["acme"]}
    assert "calm" not in {each["name"] for each in status["rival"]}


async def test_an_upstream_is_removed_while_it_is_called_and_no_call_fails(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, AUTH_ON, rules=RULES, rate_limits={"tool": "100000/m"}) as gateway:
        directory, agent = directory_of(gateway), of(gateway, "acme")
        await adds_calm(gateway)
        for tool in (ENVIRONMENT, LIST):
            await until_listed(agent, tool)
        instance = directory.find("acme", "calm")
        assert instance is not None
        long_call = asyncio.create_task(use(agent, "mindscape_tool_calm_wait", inputs={"seconds": 0.5}))
        await until(lambda: _is_in_use(instance))
        (await (await gateway.person(role=Role.OWNER)).delete("/upstreams/calm")).raise_for_status()
        others: list[CallResponse] = []
        while not long_call.done():
            others.append(await use(agent, LIST))
        gone = await use(agent, ENVIRONMENT)
        await until(lambda: _is_stopped(instance))

    assert (await long_call).code == "SUCCESS"
    assert {each.code for each in others} == {"SUCCESS"}
    assert gone.code == "NOT_FOUND"


async def adds_calm(gateway: GatewayServer) -> None:
    body = {"name": "calm", "entry": hostile_json("calm"), "accept": True}
    (await (await gateway.person(role=Role.OWNER)).post("/upstreams", json=body)).raise_for_status()


async def _is_in_use(instance: Any) -> bool:
    return bool(instance.upstream.unused_since is None)


async def _is_stopped(instance: Any) -> bool:
    return bool(instance.upstream.health == "stopped")


async def test_people_see_restarts_and_what_a_program_wrote(store: Store, tmp_path: Path) -> None:
    servers = {"lost": {"command": "no-such-program-anywhere"}, "crash": hostile_json("crashing")}
    async with opened(store, tmp_path, AUTH_ON, servers=servers) as gateway:
        await names(of(gateway, "acme"))
        lost, crash = [await view_of(gateway, name) for name in ("lost", "crash")]

    assert "was not found" in lost["status"]["last_error"]
    assert lost["status"]["last_error_at"] is not None
    assert set(crash["status"]) == {"restarts", "started_at", "last_error", "last_error_at", "log"}


@pytest.mark.node
@pytest.mark.slow
async def test_of_two_tenants_and_one_memory_server_neither_sees_the_other(
    store: Store, tmp_path: Path, packages: Path
) -> None:
    script = PACKAGES / "server-memory" / "dist" / "index.js"
    rules = [{"match": "memory.*", "layer": "tool"}]
    memory = {"command": node(), "args": [str(script)]}
    entities = [{"name": "secret plan", "entityType": "plan", "observations": ["of acme"]}]
    async with opened(store, tmp_path, AUTH_ON, servers={"memory": memory}, rules=rules) as gateway:
        acme, rival = of(gateway, "acme"), of(gateway, "rival")
        for agent in (acme, rival):
            await until_listed(agent, "mindscape_tool_memory_read_graph")
        written = await use(acme, "mindscape_tool_memory_create_entities", inputs={"entities": entities})
        own, others = [await use(agent, "mindscape_tool_memory_read_graph") for agent in (acme, rival)]

    assert written.code == own.code == others.code == "SUCCESS"
    assert [entity["name"] for entity in own.structured["entities"]] == ["secret plan"]
    assert others.structured["entities"] == []
