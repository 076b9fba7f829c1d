"""The anchor beside the store, on both stores: it follows the chain, and never goes back by itself."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from longtable.kernel.caller import Role
from longtable.log.anchors import AnchorFile
from tests.stores import Store
from tests.table import Agent, Table, open_table


@pytest.fixture
async def table(store: Store, tmp_path: Path) -> AsyncIterator[Table]:
    (tmp_path / "data").mkdir(exist_ok=True)
    async with open_table(store, tmp_path, auth_tokens="acme:acme-secret") as opened:
        yield opened


@pytest.fixture
def anchors(table: Table) -> AnchorFile:
    return AnchorFile.of(table.app.settings.data_dir, table.app.settings.store)


@pytest.fixture
async def owner(table: Table) -> Agent:
    return await table.bearer(Role.OWNER, "olga")


async def verified(owner: Agent) -> dict[str, Any]:
    answer: dict[str, Any] = (await owner.client.post("/audit/verify", json={})).json()
    return answer


def moves(anchors: AnchorFile, by: int) -> None:
    raw = json.loads(anchors.path.read_text("utf-8"))
    raw["tenants"]["acme"]["seq"] += by
    anchors.path.write_text(json.dumps(raw), "utf-8")


async def test_a_chain_that_contains_its_anchor_holds(table: Table, owner: Agent, anchors: AnchorFile) -> None:
    await anchors.advance(table.app.database)
    first = (await anchors.read())["acme"]
    await table.agent(token="acme-secret").calls("create_session", session_id="sess_one")

    answer = await verified(owner)
    await anchors.advance(table.app.database)

    assert answer["holds"] is True
    assert (await anchors.read())["acme"].seq > first.seq


async def test_a_store_that_lost_its_end_is_named_and_keeps_its_anchor(
    table: Table, owner: Agent, anchors: AnchorFile
) -> None:
    await anchors.advance(table.app.database)
    moves(anchors, 100)
    before = await anchors.read()

    answer = await verified(owner)
    await table.agent(token="acme-secret").calls("create_session", session_id="sess_one")
    await anchors.advance(table.app.database)

    assert answer["holds"] is False
    assert "shorter than the anchor" in answer["problem"]
    assert await anchors.read() == before


@pytest.mark.parametrize(
    "text",
    [b"no JSON", b"\xff", b"[]", b"{}", b'{"tenants": []}', b'{"tenants": {"acme": 1}}', b'{"tenants": {"acme": {}}}'],
)
async def test_an_anchor_that_cannot_be_read_counts_as_none_and_is_written_anew(
    table: Table, owner: Agent, anchors: AnchorFile, text: bytes
) -> None:
    anchors.path.write_bytes(text)

    answer, found = await verified(owner), await anchors.read()
    await anchors.advance(table.app.database)

    assert (answer["holds"], found) == (True, {})
    assert "acme" in await anchors.read()
