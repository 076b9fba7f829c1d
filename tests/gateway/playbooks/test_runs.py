"""Runs of playbooks: on record from their beginning to their end, whoever still listens."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from longtable.gateway import playbooks, run_store
from longtable.gateway.playbook_file import UPSTREAM
from longtable.gateway.slice import forget_old_calls
from longtable.kernel.clock import MINUTE, SECOND
from longtable.kernel.errors import ConfigError
from tests.gateway.playbooks.gateway import PlaybookGateway, opened
from tests.listening import connected, local, piped, streamed
from tests.stores import Store
from tests.table import MODERN, modern_meta

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

SLOW = """
    name: blog.slow
    steps:
      - {tool: calm.wait, inputs: {seconds: 1.5}}
      - {tool: calm.echo, inputs: {text: after}, save_as: said}
    """
ENDLESS = "name: blog.endless\nsteps: [{tool: calm.wait, inputs: {seconds: 25}}]"
THREE = "name: blog.three\nsteps: [{tool: calm.echo}, {tool: calm.echo}, {tool: calm.echo}]"


async def begun(gateway: PlaybookGateway, monkeypatch: pytest.MonkeyPatch, playbook: str) -> dict[str, Any]:
    """Answered while it still runs."""
    monkeypatch.setattr(playbooks, "ANSWER_WITHIN", 0.05)
    result = await gateway.runs(gateway.agent(), playbook)
    answer: dict[str, Any] = result["structuredContent"]
    assert (result["isError"], answer["status"]) == (False, "running")
    return answer


async def test_a_long_run_is_answered_with_its_id_and_can_be_waited_for(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(store, tmp_path, {"slow": SLOW}) as gateway:
        result = await begun(gateway, monkeypatch, "blog_slow")
        alice = gateway.agent()
        polled = (await alice.calls("mindscape_execution_status", execution_id=result["execution_id"]))["result"]
        over = await gateway.waits(alice, result["execution_id"])

    assert (polled["status"], polled["progress"]["step"]) == ("running", 1)
    assert (over["status"], over["outputs"]) == ("completed", {"said": {"text": "after"}})


async def test_a_run_that_ended_at_once_can_be_asked_about_too(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, {"three": THREE}) as gateway:
        answer = (await gateway.runs(gateway.agent(), "blog_three"))["structuredContent"]
        over = await gateway.waits(gateway.agent(), answer["execution_id"])

    assert (answer["status"], over["status"]) == ("completed", "completed")


async def test_nobody_else_can_ask_about_a_run(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(store, tmp_path, {"slow": SLOW}) as gateway:
        result = await begun(gateway, monkeypatch, "blog_slow")
        expected = {"execution_id": result["execution_id"]}
        responses = [
            (await gateway.agent("bob").tries(f"mindscape_execution_{word}", **expected))["error"]["code"]
            for word in ("status", "wait")
        ]

    assert responses == ["NOT_FOUND", "NOT_FOUND"]


async def test_a_run_that_a_stopping_server_ends_has_failed(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(store, tmp_path, {"endless": ENDLESS}) as gateway:
        result = await begun(gateway, monkeypatch, "blog_endless")

    async with opened(store, tmp_path, {"endless": ENDLESS}) as gateway:
        alice = gateway.agent()
        found = (await alice.calls("mindscape_execution_status", execution_id=result["execution_id"]))["result"]
    assert (found["status"], found["error"]["code"], found["error"]["step"]) == ("failed", "SHUTTING_DOWN", 1)


async def test_a_run_whose_process_died_is_lost_after_two_minutes_and_not_before(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, {"endless": ENDLESS}) as gateway:
        ledger = gateway.table.app.ledger
        now = ledger.clock()
        run = run_store.Run("run_dead", "alice", None, "t", UPSTREAM, now, now, progress={"step": 1})
        await ledger.database.write("default", lambda tx: run_store.insert(tx, run))
        alice = gateway.agent()

        gateway.table.clock.ahead = MINUTE
        await forget_old_calls(ledger)
        early = (await alice.calls("mindscape_execution_status", execution_id="run_dead"))["result"]
        gateway.table.clock.ahead = 2 * MINUTE + SECOND
        await forget_old_calls(ledger)
        late = (await alice.calls("mindscape_execution_status", execution_id="run_dead"))["result"]

    assert early["status"] == "running"
    assert (late["status"], late["error"]["code"]) == ("failed", "SHUTTING_DOWN")


async def test_a_run_that_goes_on_is_never_taken_for_lost(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playbooks, "_HEARTBEAT_SECONDS", 0.05)
    async with opened(store, tmp_path, {"endless": ENDLESS}) as gateway:
        result = await begun(gateway, monkeypatch, "blog_endless")
        alice, ledger = gateway.agent(), gateway.table.app.ledger

        gateway.table.clock.ahead = 5 * MINUTE
        await told_of_since(gateway, result["execution_id"], ledger.clock())
        await forget_old_calls(ledger)
        found = (await alice.calls("mindscape_execution_status", execution_id=result["execution_id"]))["result"]

    assert found["status"] == "running"


async def told_of_since(gateway: PlaybookGateway, execution_id: str, moment: int) -> None:
    async with asyncio.timeout(40):
        while True:
            database = gateway.table.app.ledger.database
            run = await database.read("default", lambda tx: run_store.find(tx, execution_id))
            assert run is not None
            if run.updated_at >= moment:
                return
            await asyncio.sleep(0.01)


async def test_twenty_runs_at_once_do_not_mix_up_their_results(store: Store, tmp_path: Path) -> None:
    book = """
        steps:
          - {tool: calm.echo, inputs: {n: "{{ inputs.n }}"}, save_as: a}
          - {tool: calm.echo, inputs: {n: "{{ a.n }}"}, save_as: b}
        """
    async with opened(store, tmp_path, {"echo": book}) as gateway:
        alice = gateway.agent()
        await gateway.listed(alice)
        results = await asyncio.gather(*(gateway.runs(alice, "default_echo", n=n) for n in range(20)))

    assert [each["structuredContent"]["outputs"]["b"]["n"] for each in results] == list(range(20))
    assert len({each["structuredContent"]["execution_id"] for each in results}) == 20


async def test_each_step_is_told_as_progress_over_a_pipe(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, {"three": THREE}) as gateway, piped(gateway.table.app, local("alice")) as pipe:
        wish = {"name": "mindscape_playbook_blog_three", "arguments": {}, "_meta": {"progressToken": "p"}}
        result = await pipe.asks("tools/call", wish)
        responses = [message["params"] for message in await pipe.hears(4)]

    assert result["result"]["structuredContent"]["status"] == "completed"
    assert [(each["progressToken"], each["progress"], each["total"]) for each in responses] == [
        ("p", float(step), 3.0) for step in range(4)
    ]
    assert responses[1]["message"] == "step 2 of 3: calm.echo"


async def test_each_step_is_told_as_progress_in_the_answer_of_the_current_revision(
    store: Store, tmp_path: Path
) -> None:
    meta = {**modern_meta(), "progressToken": 5}
    params = {"name": "mindscape_playbook_blog_three", "arguments": {}, "_meta": meta}
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": MODERN,
        "Mcp-Method": "tools/call",
        "Mcp-Name": "mindscape_playbook_blog_three",
    }
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
    async with (
        opened(store, tmp_path, {"three": THREE}) as gateway,
        streamed(gateway.table.http, "POST", "/mcp", headers, message) as stream,
    ):
        assert await stream.status() == 200
        *response, result = await stream.hears(5)

    assert [each["params"]["progress"] for each in response] == [0, 1, 2, 3]
    assert (result["id"], result["result"]["structuredContent"]["status"]) == (7, "completed")


async def test_a_client_of_an_older_revision_hears_of_the_steps_before_its_answer(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, {"three": THREE}) as gateway:
        connection = await connected(gateway.table.http)
        wish = {"name": "mindscape_playbook_blog_three", "arguments": {}, "_meta": {"progressToken": "p"}}
        message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": wish}
        async with streamed(gateway.table.http, "POST", "/mcp", connection.headers, message) as stream:
            assert await stream.status() == 200
            *response, result = await stream.hears(5)

    assert (result["id"], result["result"]["structuredContent"]["status"]) == (7, "completed")
    assert [each["params"]["progress"] for each in response] == [0, 1, 2, 3]


async def test_a_client_that_takes_no_stream_is_answered_all_the_same(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, {"three": THREE}) as gateway:
        connection = await connected(gateway.table.http, Accept="application/json")
        wish = {"name": "mindscape_playbook_blog_three", "arguments": {}, "_meta": {"progressToken": "p"}}
        result = await connection.asks("tools/call", wish)

    assert result["result"]["structuredContent"]["status"] == "completed"


async def test_a_mistake_in_a_playbook_keeps_the_server_from_starting(store: Store, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as raised:
        async with opened(store, tmp_path, {"odd": "steps: [{tool: calm.echo, input: {}}]"}):
            pass

    assert "odd.yaml: steps[0].input (line 1)" in raised.value.message


async def test_a_changed_playbook_counts_at_the_next_start(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, {"three": THREE}) as gateway:
        await gateway.runs(gateway.agent(), "blog_three")

    changed = "name: blog.three\nsteps: [{tool: calm.echo, inputs: {text: new}, save_as: said}]"
    added = "name: blog.four\nsteps: [{tool: calm.echo}]"
    async with opened(store, tmp_path, {"three": changed, "four": added}) as gateway:
        three = await gateway.runs(gateway.agent(), "blog_three")
        four = await gateway.runs(gateway.agent(), "blog_four")

    assert three["structuredContent"]["outputs"] == {"said": {"text": "new"}}
    assert four["structuredContent"]["status"] == "completed"
