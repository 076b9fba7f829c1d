"""Each change of the disk fails once, the first of a scene and all after it: what was acknowledged is kept, what was
refused is not there, and the same server goes on when the disk is well again."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.disks.failing_disk import FailingDisk, Fault
from tests.disks.watched_disk import watched
from tests.stores import Store
from tests.table import Agent, Refused, open_table

HONEST = {None, "STORE_UNAVAILABLE", "OUTCOME_UNKNOWN"}
ROUNDS = 3


async def check_each_fault(folder: Path, fault: Fault, numbers: Iterable[int]) -> int:
    """How many faults there were. Ends with the first number that the scene does not reach."""
    faults = 0
    for number in numbers:
        place = folder / f"{fault.name}-{number}"
        disk = FailingDisk(fault)
        with watched(place, disk):
            await _check_one(Store("sqlite", str(place / "longtable.db")), folder, disk, number)
        if not disk.failures:
            return faults
        faults += 1
    return faults


async def _check_one(store: Store, folder: Path, disk: FailingDisk, number: int) -> None:
    async with open_table(store, folder, durability="full") as table:
        agent = table.agent("ann", await table.session("sess_one"))
        await agent.adds_note("from the beginning")
        disk.break_at(number)
        kept, refused = await _play(agent)
        assert await _texts(agent) >= kept, "what was acknowledged can be read on a broken disk"
        disk.repair()
        await agent.adds_note("after the repair")
        await _check_texts(agent, kept, refused)
    async with open_table(store, folder) as table:
        await _check_texts(table.agent("ann", "sess_one"), kept, refused)


async def _play(agent: Agent) -> tuple[set[str], set[str]]:
    """The texts that were acknowledged, and those that were refused as not stored."""
    kept: set[str] = set()
    refused: set[str] = set()
    for number in range(ROUNDS):
        for tool, arguments in _writes(number):
            code = await _code(agent, tool, arguments)
            assert code in HONEST
            if code is None:
                kept.add(f"{tool} {number}")
            elif code == "STORE_UNAVAILABLE":
                refused.add(f"{tool} {number}")
    return kept, refused


async def _code(agent: Agent, tool: str, arguments: dict[str, Any]) -> str | None:
    """None for a success."""
    try:
        await agent.calls(tool, **arguments)
    except Refused as error:
        return error.code
    return None


def _writes(number: int) -> list[tuple[str, dict[str, Any]]]:
    """Each puts the text `<tool> <number>` somewhere."""
    return [
        ("add_note", {"content": f"add_note {number}", "tags": ["x"]}),
        ("add_message", {"content": f"add_message {number}"}),
        ("write_draft_section", {"section_id": f"s{number}", "content": f"write_draft_section {number}"}),
        ("add_tasks", {"tasks": [{"description": f"add_tasks {number}"}]}),
        ("set_memory", {"key": f"m{number}", "value": f"set_memory {number}"}),
    ]


async def _texts(agent: Agent) -> set[str]:
    """Everything that can be read, of which the scene's texts are a part."""
    parts = [
        [note["content"] for note in await agent.reads_notes()],
        [message["content"] for message in (await agent.calls("get_messages"))["messages"]],
        [task["description"] for task in (await agent.calls("read_plan"))["tasks"]],
        [entry["key"] for entry in (await agent.calls("list_memory"))["entries"]],
    ]
    draft = json.dumps(await agent.calls("read_draft"))
    found = {text for part in parts for text in part}
    written = {f"write_draft_section {n}" for n in range(ROUNDS) if f"write_draft_section {n}" in draft}
    return found | written | {f"set_memory {key[1:]}" for key in found if key[1:].isdigit()}


async def _check_texts(agent: Agent, kept: set[str], refused: set[str]) -> None:
    texts = await _texts(agent)
    assert kept <= texts
    assert not refused & texts
    assert "from the beginning" in texts
