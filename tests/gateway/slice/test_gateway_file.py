"""The gateway file while the server runs: what changes in it is taken over, and a mistake changes nothing."""

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2

from longtable.kernel.caller import Role
from tests.gateway.hostile.entries import hostile_json
from tests.gateway.slice.gateway import AUTH_ON, LIST, gateway_file, names, opened, use
from tests.stores import Store

ECHO = "mindscape_tool_calm_echo"
RULES = [{"match": "calm.*", "layer": "tool"}]


def replaced(tmp_path: Path, **more: Any) -> None:
    """As editors and deployments do: another file takes its place."""
    folder = tmp_path / "new"
    folder.mkdir(exist_ok=True)
    path = gateway_file(folder, **more)
    document = json.loads(path.read_text())
    document["mcpServers"]["shop"]["args"][-1] = str(tmp_path / "journal")
    path.write_text(json.dumps(document))
    os.replace(path, tmp_path / "gateway.json")


async def until(
    check: Callable[[dict[str, Any]], bool], person: httpx2.AsyncClient, path: str = "/upstreams"
) -> dict[str, Any]:
    """What the server says once it is so, within 5 seconds."""
    async with asyncio.timeout(5):
        while True:
            body: dict[str, Any] = (await person.get(path)).json()
            if check(body):
                return body
            await asyncio.sleep(0.05)


def has(name: str) -> Callable[[dict[str, Any]], bool]:
    return lambda body: name in {each["name"] for each in body["upstreams"]}


async def test_an_entry_that_is_added_to_the_file_is_used_and_one_that_is_removed_is_gone(
    store: Store, tmp_path: Path
) -> None:
    async with opened(store, tmp_path, AUTH_ON) as gateway:
        alice, owner = gateway.agent("alice", token="acme-secret"), await gateway.person("acme", Role.OWNER)
        await names(alice)

        replaced(tmp_path, servers={"calm": hostile_json("calm")}, rules=RULES)
        await until(has("calm"), owner)
        used = await use(alice, ECHO, inputs={"text": "hello"})
        replaced(tmp_path)
        await until(lambda body: not has("calm")(body), owner)
        gone = await use(alice, ECHO, inputs={"text": "hello"})
        other = await use(alice, LIST)

    assert (used.code, gone.code, other.code) == ("SUCCESS", "NOT_FOUND", "SUCCESS")


async def test_a_mistake_in_the_file_is_shown_and_changes_nothing(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, AUTH_ON) as gateway:
        alice, owner = gateway.agent("alice", token="acme-secret"), await gateway.person("acme", Role.OWNER)
        await names(alice)

        (tmp_path / "gateway.json").write_text('{"mcpServers": {"shop": {"comand": "x"}}}')
        body = await until(lambda body: "file_problem" in body, owner)
        during = await use(alice, LIST)
        status = (await gateway.table.agent(token=await gateway.token("acme", Role.OWNER)).client.get("/status")).json()
        replaced(tmp_path)
        await until(lambda body: "file_problem" not in body, owner)

    assert "mcpServers.shop.comand" in body["file_problem"]
    assert (during.code, has("shop")(body)) == ("SUCCESS", True)
    assert "mcpServers.shop.comand" in status["gateway_file_problem"]


async def test_rules_of_the_file_are_taken_over(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, AUTH_ON) as gateway:
        alice, owner = gateway.agent("alice", token="acme-secret"), await gateway.person("acme", Role.OWNER)
        before = await names(alice)

        replaced(tmp_path, rules=[{"match": "shop.list_posts", "layer": "deny"}])
        await until(lambda body: bool(body["file_rules"]), owner, "/rules")

        assert LIST in before
        assert LIST not in await names(alice)


async def test_an_upstream_of_a_tenant_gives_way_to_one_of_the_file(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, AUTH_ON) as gateway:
        owner = await gateway.person("acme", Role.OWNER)
        await owner.post("/upstreams", json={"name": "calm", "entry": hostile_json("calm")})

        replaced(tmp_path, servers={"calm": hostile_json("calm")}, rules=RULES)
        body = await until(lambda body: "file" in sources(body, "calm"), owner)

        assert sources(body, "calm") == ["file"]


def sources(body: dict[str, Any], name: str) -> list[str]:
    return [each["source"] for each in body["upstreams"] if each["name"] == name]


async def test_a_signal_to_hang_up_reads_the_file_again(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, AUTH_ON) as gateway:
        owner = await gateway.person("acme", Role.OWNER)
        await owner.get("/upstreams")
        (tmp_path / "gateway.json").write_text("{")

        gateway.table.app.reload_gateway_file()

        assert "not JSON" in (await owner.get("/upstreams")).json()["file_problem"]
