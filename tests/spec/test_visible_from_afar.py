"""Looking back and looking from afar are paths that show messages, too: exactly those see one who may."""

import json
from collections.abc import Awaitable, Callable

import pytest

from tests.spec.test_messages import READERS, SEES, SENDER, SENDER_TYPE, WORD, Look, agent_of_type
from tests.table import Table

pytestmark = pytest.mark.slow


async def messages_backwards(look: Look) -> bool:
    page = await look.reader.calls("get_messages", before_id=look.message_id + 1)
    return bool(page["messages"])


async def activity(look: Look) -> bool:
    return WORD in (await look.reader.client.get(f"/sessions/{look.session}/activity")).text


async def count_of_a_table(look: Look) -> bool:
    shown = (await look.reader.client.get(f"/sessions/{look.session}/overview")).json()
    return bool(shown["session"]["messages"])


async def agents_of_a_table(look: Look) -> bool:
    shown = (await look.reader.client.get(f"/sessions/{look.session}/overview")).json()
    return SENDER in json.dumps(shown["session"]["agents"])


async def newest_number(look: Look) -> bool:
    shown = (await look.reader.client.get(f"/sessions/{look.session}/overview")).json()
    return bool(shown["last_seq"] > 1)


async def list_of_tables(look: Look) -> bool:
    (shown,) = (await look.reader.client.get("/overview")).json()["sessions"]
    assert bool(shown["messages"]) == (SENDER in json.dumps(shown["agents"]))
    return bool(shown["messages"])


PATHS = [messages_backwards, activity, count_of_a_table, agents_of_a_table, newest_number, list_of_tables]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.__name__)
@pytest.mark.parametrize("visibility", list(SEES))
async def test_on_every_path_from_afar_exactly_those_see_a_message_who_may(
    table: Table, visibility: str, path: Callable[[Look], Awaitable[bool]]
) -> None:
    session = await table.session("sess_one")
    added = await agent_of_type(table, SENDER, SENDER_TYPE, session).calls(
        "add_message", content=f"the {WORD} plan", visibility=visibility
    )

    seen_by = {
        label
        for label, (name, kind) in READERS.items()
        if await path(Look(agent_of_type(table, name, kind, session), session, added["message_id"], visibility))
    }

    assert seen_by == SEES[visibility]
