"""Every background task is hit by exceptions: it is running again within ten seconds, says so, and does its work."""

import asyncio
import json
import os
import re
import signal
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

import mcp_types as types
import pytest
from structlog.testing import capture_logs

import longtable.assembly  # noqa: F401  loaded before any clock runs
from longtable.kernel.call import Call
from longtable.kernel.logs import logger
from longtable.log.feed import Subscription
from longtable.log.reader import EventFilter
from longtable.server.warm_up import start_warm_up
from longtable.storage.database import SYSTEM, Transaction
from longtable.upstreams.directory import UpstreamInstance
from longtable.upstreams.entries import HttpEntry
from longtable.upstreams.mcp_upstream import McpUpstream
from tests.faults import Faults, InjectedError, named_tasks
from tests.gateway.hostile.entries import hostile_json
from tests.gateway.protocol.conftest import client_of
from tests.gateway.slice.gateway import PERSON
from tests.listening import Pipe, local, piped
from tests.schemas import PostgresLogin, administer
from tests.stores import Store
from tests.table import Agent, Table, open_table
from tests.vectors.conftest import WITH_VECTORS

pytestmark = pytest.mark.timeout(180)

WITHIN: Final = 10.0
PATIENCE: Final = 60.0
OF_WORKERS: Final = {"metrics", "index_turn"}
"""Those that only the workers of a supervisor have, and its tests hit."""
OF_POOLERS: Final = {"store_poller"}
"""In place of the listener, where a pooler in transaction mode is between."""
OF_ONE_STORE: Final = {
    "sqlite": {"foreign_commits"},
    "postgresql": {"store_listener", "store_notifier", "store_writer"},
}
WAITS: Final = {
    "audit_flush": 1,
    "inbox_cursors": 1,
    "access_times": 1,
    "stored_bytes": 1,
    "limit_counts": 1,
    "upstream_poll": 1,
    "upstream_idle": 1,
    "playbook_heartbeat": 1,
    "claim_renewal": 1,
    "list_follower": None,
    "store_writer": None,
}
"""Most are in the middle of their work where they wait first; these ones sleep there, and work after that. The last two
fail at their start alone: in the middle they would tell whoever needed them first, which is this test."""
PLAYBOOK: Final = """
    name: kitchen.soup
    steps:
      - {tool: calm.wait, inputs: {seconds: 60}}
    """


@dataclass
class BusyServer:
    """A server that has been made to start every task that it knows, and those who use it."""

    table: Table
    alice: Agent
    pipe: Pipe
    events: Subscription
    folder: Path
    seen: dict[str, Any] = field(default_factory=dict)

    async def rows(self, sql: str) -> list[dict[str, Any]]:
        async def body(tx: Transaction) -> list[dict[str, Any]]:
            return [dict(row) for row in await tx.all(sql)]

        return await self.table.app.database.read(SYSTEM, body)

    def shop(self) -> McpUpstream:
        found = self.table.app.slices.gateway.dependencies.upstreams.find("default", "shop")
        assert found is not None
        assert isinstance(found.upstream, McpUpstream)
        return found.upstream

    async def failures(self) -> dict[str, float]:
        text = (await self.table.agent().client.get("/metrics")).text
        found = re.findall(r'^longtable_background_failures_total\{task="(\w+)"\} (\S+)$', text, re.MULTILINE)
        return {name: float(value) for name, value in found}


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> Faults:
    faults = Faults(WAITS)
    faults.install(monkeypatch)
    return faults


@pytest.fixture
async def options(login: PostgresLogin | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mapping[str, str]:
    """All that is offered, and jobs that do not keep a test waiting."""
    if login is not None:
        await administer(login.admin_url, WITH_VECTORS)
    (tmp_path / "data").mkdir(mode=0o700)
    monkeypatch.setattr("longtable.background.JOB_DELAY", 0.0)
    monkeypatch.setattr("longtable.upstreams.mcp_upstream.POLL_EVERY", 0.3)
    monkeypatch.setattr("longtable.upstreams.instance_limits.LOOK_SECONDS", 0.3)
    monkeypatch.setattr("longtable.notebooks.access.FLUSH_SECONDS", 0.3)
    monkeypatch.setattr("longtable.gateway.playbooks._HEARTBEAT_SECONDS", 0.3)
    monkeypatch.setattr("longtable.gateway.claims.RENEW_SECONDS", 0.3)
    return {
        "enable_metrics": "true",
        "enable_semantic_search": "true",
        "eviction_policy": "preempt",
        "gateway_config": str(gateway_file(tmp_path)),
        "max_tenant_bytes": str(2**40),
    }


@pytest.mark.in_process("changes the program where it runs")
async def test_every_task_that_fails_is_soon_running_again_and_does_its_work(
    store: Store, options: Mapping[str, str], faults: Faults, tmp_path: Path
) -> None:
    named = named_tasks() - OF_WORKERS - OF_POOLERS - set().union(*OF_ONE_STORE.values()) | OF_ONE_STORE[store.kind]
    # The library behind the log is loaded with its first line, which would undo what captures the lines.
    assert logger._structlog is not None
    async with AsyncExitStack() as stack:
        lines = stack.enter_context(capture_logs())
        table = await stack.enter_async_context(open_table(store, tmp_path, **options))
        named |= {job.name for job in table.app.jobs.periodic_jobs()}
        down = await table.agent().client.get("/ready")
        scene = await set_up(table, tmp_path, stack)
        await provoke_the_last(scene, faults)
        await until(lambda: named <= set(faults.recovered_at), lambda: named - set(faults.recovered_at))

        undone = [name for name, holds in WORK.items() if name in named and not await done(scene, holds)]
        up = await table.agent().client.get("/ready")
        shown = {task["task"]: task for task in (await table.agent().client.get("/status")).json()["background"]}
        counted = await scene.failures()

    late = {name: faults.recovered_at[name] - faults.failed_at[name] for name in named}
    assert {name: seconds for name, seconds in late.items() if seconds > WITHIN} == {}
    assert undone == []
    assert (down.status_code, up.status_code) == (503, 200)
    assert {name for name in named if shown[name]["last_failure"]["error"] != InjectedError.__name__} == set()
    assert {name: counted[name] for name in named} == {name: shown[name]["failures"] for name in named}
    # What the writer of the store was hit by, a job that was writing is told of: that is no failure of the job.
    hits = Counter(line["task"] for line in lines if isinstance(line.get("exc_info"), InjectedError))
    assert {name for name in named if hits[name] > 2} == set()
    assert named - {line["task"] for line in lines if line["event"] == "background_task_failed"} == set()


def gateway_file(folder: Path) -> Path:
    """Two servers, one of which changes its tools without a word, and work that takes long."""
    (folder / "playbooks").mkdir()
    (folder / "playbooks" / "soup.yaml").write_text(dedent(PLAYBOOK))
    servers = {"calm": hostile_json("calm"), "shop": hostile_json("rug_pull", "description", 0, "silent")}
    rules = [{"match": "*", "layer": "tool"}]
    path = folder / "gateway.json"
    path.write_text(json.dumps({"mcpServers": servers, "playbooks": "playbooks", "rules": rules}))
    path.chmod(0o600)
    return path


async def set_up(table: Table, folder: Path, stack: AsyncExitStack) -> BusyServer:
    """Whatever starts a task is done once."""
    await table.session("sess_one")
    alice, bob = (table.agent(name, "sess_one") for name in ("alice", "bob"))
    listener = EventFilter(local("listener", "sess_one"), "sess_one")
    events = await stack.enter_async_context(table.app.feed.subscribe(listener, None))
    await alice.adds_note("The harbour is full of little boats.")
    await bob.calls("add_message", content="Hello.")
    await alice.calls("get_messages")
    used = {"longtable/usage": {"model": "some", "input_tokens": 7, "output_tokens": 3}}
    await alice.posts("tools/call", {"name": "get_messages", "arguments": {}, "_meta": used})
    await alice.calls("add_question", question="Anybody there?", expires_in=1)
    cell = {"language": "json", "content": "{", "validate": True}
    await alice.calls("scratch_create", scratch_id="plans", cells=[cell])
    await alice.calls("scratch_read", scratch_id="plans")
    start_warm_up(table.app)
    pipe = await stack.enter_async_context(piped(table.app, local("cook")))
    await until_listed(pipe)
    adding = Call(PERSON, "add_upstream", "upstream_added")
    await table.app.slices.gateway.added.add(adding, "later", {"url": "https://later.example/mcp"}, enabled=False)
    upstreams = table.app.slices.gateway.dependencies.upstreams
    upstreams.set_tenant_entries("default", [HttpEntry("away", "away", url="http://127.0.0.1:9/")])
    removed = upstreams.find("default", "away")
    upstreams.set_tenant_entries("default", [])
    arguments = {"name": "mindscape_playbook_kitchen_soup", "arguments": {"inputs": {}, "idempotency_key": "soup"}}
    stack.callback(asyncio.ensure_future(table.agent("cook").posts("tools/call", arguments)).cancel)
    await wait_for_the_clients_user(table, stack)
    return BusyServer(table, alice, pipe, events, folder, {"away": removed})


async def wait_for_the_clients_user(table: Table, stack: AsyncExitStack) -> None:
    async def answer(context: Any, params: Any) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"answer": "With salt."})

    client = await stack.enter_async_context(
        client_of(table, "legacy", session="sess_one", elicitation_callback=answer)
    )
    added = await client.call_tool("add_question", {"question": "With salt?"})
    ids = [(added.structured_content or {})["question"]["id"]]
    waiting = client.call_tool("wait_for_answers", {"question_ids": ids, "timeout_seconds": 50})
    stack.callback(asyncio.ensure_future(waiting).cancel)


async def until_listed(pipe: Pipe) -> None:
    """A list does not wait for servers that take long to start."""
    listed: set[str] = set()
    async with asyncio.timeout(PATIENCE):
        while not {"mindscape_tool_calm_wait", "mindscape_tool_shop_get_pull"} <= listed:
            listed = {tool["name"] for tool in (await pipe.asks("tools/list", {}))["result"]["tools"]}


async def provoke_the_last(scene: BusyServer, faults: Faults) -> None:
    """An upstream is opened anew once it has ended, and looked at by whoever follows its list."""
    listening = {"upstream_poll", "list_follower"}
    await until(lambda: listening <= set(faults.recovered_at), lambda: listening)
    scene.seen["pid"] = scene.shop().child_pid
    os.kill(scene.seen["pid"], signal.SIGKILL)


async def is_found_by_meaning(scene: BusyServer) -> bool:
    found = await scene.alice.tries("search_context", query="ships in a port", mode="semantic")
    return bool(found.get("results"))


async def is_audited(scene: BusyServer) -> bool:
    return bool(await scene.rows("SELECT seq FROM audit WHERE operation = 'get_messages'"))


async def cursor_is_saved(scene: BusyServer) -> bool:
    return bool(await scene.rows("SELECT agent FROM inbox_cursors WHERE agent = 'alice'"))


async def access_is_noted(scene: BusyServer) -> bool:
    return bool(await scene.rows("SELECT pad FROM scratchpads WHERE accessed_at > created_at"))


async def event_is_heard(scene: BusyServer) -> bool:
    await scene.alice.adds_note("news")
    async for event in scene.events:
        if event.get("content_preview") == "news":
            return True
    return False


async def client_hears_of_a_silent_change(scene: BusyServer) -> bool:
    while not scene.pipe.notifications.empty():
        scene.pipe.notifications.get_nowait()
    await scene.table.agent("dan").posts("tools/call", {"name": "mindscape_tool_shop_get_pull", "arguments": {}})
    (notification,) = await scene.pipe.hears()
    return bool(notification["method"] == "notifications/tools/list_changed")


async def upstream_is_back(scene: BusyServer) -> bool:
    shop = scene.shop()
    return shop.health == "ready" and shop.child_pid != scene.seen["pid"]


async def removed_upstream_is_closed(scene: BusyServer) -> bool:
    away: UpstreamInstance = scene.seen["away"]
    return away.upstream.health == "stopped"


async def file_is_read_again(scene: BusyServer) -> bool:
    (scene.folder / "gateway.json").write_text("{")
    return scene.table.app.slices.gateway_file.problem is not None


async def run_is_said_to_go_on(scene: BusyServer) -> bool:
    (run,) = await scene.rows("SELECT updated_at FROM gateway_runs")
    return bool(run["updated_at"] > scene.seen.setdefault("run", run["updated_at"]))


async def claim_is_renewed(scene: BusyServer) -> bool:
    return bool(await scene.rows("SELECT operation FROM gateway_claims WHERE renewed_at > created_at"))


async def question_has_expired(scene: BusyServer) -> bool:
    return bool(await scene.rows("SELECT seq FROM events WHERE kind = 'scratchpad/question_expired'"))


async def question_is_answered_by_the_clients_user(scene: BusyServer) -> bool:
    return bool(await scene.rows("SELECT number FROM questions WHERE answer = 'With salt.'"))


async def tokens_are_added_up(scene: BusyServer) -> bool:
    return bool(await scene.rows("SELECT tenant FROM usage_totals WHERE input_tokens = 7"))


async def usage_is_counted(scene: BusyServer) -> bool:
    return bool(await scene.rows("SELECT tenant FROM tenant_usage"))


async def counts_are_told(scene: BusyServer) -> bool:
    return bool(await scene.rows("SELECT process_id FROM process_counts"))


async def chain_is_anchored(scene: BusyServer) -> bool:
    return any(scene.folder.rglob("*.anchor"))


async def cell_is_checked(scene: BusyServer) -> bool:
    checked = await scene.alice.calls("scratch_validate", scratch_id="plans")
    return checked["results"][0]["valid"] is False


WORK: Final[Mapping[str, Callable[[BusyServer], Awaitable[bool]]]] = {
    "embedding": is_found_by_meaning,
    "audit_flush": is_audited,
    "inbox_cursors": cursor_is_saved,
    "access_times": access_is_noted,
    "event_feed": event_is_heard,
    "gateway_file": file_is_read_again,
    "upstream_end": removed_upstream_is_closed,
    "upstream_reconnect": upstream_is_back,
    "upstream_poll": client_hears_of_a_silent_change,
    "playbook_heartbeat": run_is_said_to_go_on,
    "claim_renewal": claim_is_renewed,
    "expire_questions": question_has_expired,
    "elicitation": question_is_answered_by_the_clients_user,
    "usage_flush": tokens_are_added_up,
    "stored_bytes": usage_is_counted,
    "limit_counts": counts_are_told,
    "audit_anchor": chain_is_anchored,
    "validation_worker": cell_is_checked,
}
"""What a user or an operator would miss. The other jobs must not fail again when they are running."""


async def done(scene: BusyServer, holds: Callable[[BusyServer], Awaitable[bool]]) -> bool:
    try:
        async with asyncio.timeout(PATIENCE / 2):
            while not await holds(scene):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
    except TimeoutError:
        return False
    return True


async def until(holds: Callable[[], bool], missing: Callable[[], set[str]]) -> None:
    try:
        async with asyncio.timeout(PATIENCE):
            while not holds():  # noqa: ASYNC110
                await asyncio.sleep(0.02)
    except TimeoutError:
        pytest.fail(f"never started, or not running again: {sorted(missing())}")
