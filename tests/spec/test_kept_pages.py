"""Pages that are read again come from memory, and nobody can tell: what has changed is in them at once."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from longtable.kernel.clock import SECOND
from longtable.kernel.page import cursor_before
from tests.stores import Store
from tests.table import Agent, Table, open_table

Change = Callable[[Agent], Awaitable[Any]]

CHANGES: dict[str, tuple[str, Change]] = {
    "a note": ("read_notes", lambda agent: agent.adds_note("Another")),
    "a successor": ("read_notes", lambda agent: agent.adds_note("Another", supersedes="n1")),
    "a message": ("get_messages", lambda agent: agent.calls("add_message", content="Another")),
    "a section": ("list_sections", lambda agent: agent.calls("write_draft_section", section_id="s", content="x")),
    "tasks": ("read_plan", lambda agent: agent.calls("add_tasks", tasks=[{"description": "Another"}])),
    "a status": ("read_plan", lambda agent: agent.calls("update_task", task_id="t2", status="completed")),
    "a remark": ("read_plan", lambda agent: agent.calls("update_task", task_id="t2", note="Halfway")),
    "an assignee": ("read_plan", lambda agent: agent.calls("update_task", task_id="t2", assigned_to="carol")),
    "a description": ("read_plan", lambda agent: agent.calls("update_task", task_id="t2", description="Otherwise")),
    "a claim": ("read_plan", lambda agent: agent.calls("claim_task", task_id="t2")),
}


@pytest.fixture
async def filled(alice: Agent) -> Agent:
    await alice.adds_note("The first")
    await alice.calls("add_message", content="The first")
    await alice.calls("add_tasks", tasks=[{"description": "one"}, {"description": "two"}])
    return alice


@pytest.mark.parametrize("change", CHANGES)
async def test_a_page_shows_what_has_changed_since_it_was_read_last(filled: Agent, change: str) -> None:
    tool, makes = CHANGES[change]
    before = [await _page(filled, tool) for _ in range(3)]

    await makes(filled)

    assert before[0] == before[1] == before[2] != await _page(filled, tool)


@pytest.mark.parametrize("change", CHANGES)
async def test_a_page_shows_what_another_process_has_changed(
    filled: Agent, session: str, store: Store, tmp_path: Path, change: str
) -> None:
    tool, makes = CHANGES[change]
    before = [await _page(filled, tool) for _ in range(2)]

    async with open_table(store, tmp_path) as other:
        await makes(other.agent("alice", session))

        assert before[0] == before[1] != await _page(filled, tool)


LISTS: dict[str, tuple[str, dict[str, Any]]] = {
    "the first notes": ("read_notes", {"limit": 2, "order": "oldest"}),
    "all notes from the first": ("read_notes", {"limit": 3, "order": "oldest"}),
    "the newest notes": ("read_notes", {"limit": 2}),
    "all notes and few more": ("read_notes", {"limit": 4}),
    "notes before another": ("read_notes", {"limit": 1, "cursor": cursor_before(3)}),
    "tagged notes": ("read_notes", {"limit": 2, "tag": "red"}),
    "the first messages": ("get_messages", {"limit": 2, "order": "oldest"}),
    "all messages from the first": ("get_messages", {"limit": 3, "order": "oldest"}),
    "the newest messages": ("get_messages", {"limit": 2}),
    "all messages and few more": ("get_messages", {"limit": 4}),
    "public messages": ("get_messages", {"limit": 2, "visibility_filter": "public"}),
    "messages in few characters": ("get_messages", {"max_chars": 100}),
    "notes in few characters": ("read_notes", {"max_chars": 150}),
    "messages for a program": ("get_messages", {"limit": 4, "max_chars": 0}),
    "notes for a program": ("read_notes", {"limit": 2, "max_chars": 0}),
    "messages before another": ("get_messages", {"limit": 2, "before_id": 3}),
    "messages before one to come": ("get_messages", {"limit": 2, "before_id": 9}),
}
ADDITIONS: dict[str, Change] = {
    "a note": lambda agent: agent.adds_note('A note, "total":7,', tags=["red"]),
    "a successor": lambda agent: agent.adds_note("Another", supersedes="n1"),
    "a message": lambda agent: agent.calls("add_message", content="Another"),
    "a private message": lambda agent: agent.calls("add_message", content="Another", visibility="private"),
    "a section": lambda agent: agent.calls("write_draft_section", section_id="s", content="x"),
    "nothing": lambda agent: agent.calls("list_sections"),
}


@pytest.mark.parametrize("change", ADDITIONS)
async def test_a_page_of_a_list_that_grew_is_as_one_that_was_never_read(
    alice: Agent, session: str, store: Store, tmp_path: Path, change: str
) -> None:
    for number in range(3):
        await alice.adds_note(f'Note {number}, "total":5,"next_cursor":null', tags=["red"])
        await alice.calls("add_message", content=f'Message {number}, "has_more":false')
    for tool, arguments in LISTS.values():
        await alice.calls(tool, **arguments)

    for _ in range(2):
        await ADDITIONS[change](alice)
        pages = {name: await _page(alice, tool, **arguments) for name, (tool, arguments) in LISTS.items()}

    async with open_table(store, tmp_path) as other:
        again = other.agent("alice", session)
        assert pages == {name: await _page(again, tool, **arguments) for name, (tool, arguments) in LISTS.items()}


@pytest.mark.parametrize("last", ["private", "public"])
async def test_a_long_page_that_grew_is_as_one_that_was_never_read(
    alice: Agent, session: str, store: Store, tmp_path: Path, last: str
) -> None:
    pages = []
    for number in range(14):
        await alice.calls("add_message", content=str(number), visibility=last if number % 13 == 12 else "public")
        pages = [await _page(alice, "get_messages", limit=limit) for limit in (11, 12, 20)]

    async with open_table(store, tmp_path) as other:
        again = other.agent("alice", session)
        assert pages == [await _page(again, "get_messages", limit=limit) for limit in (11, 12, 20)]


async def test_a_page_of_a_list_that_grew_by_much_shows_its_total(alice: Agent) -> None:
    totals = []
    for times in (3, 80, 2):
        for number in range(times):
            await alice.adds_note(f"Note {number}")
        totals.append((await alice.calls("read_notes", limit=2))["total"])

    assert totals == [3, 83, 85]


async def test_a_plan_shows_when_a_lease_is_renewed_and_when_it_runs_out(table: Table, filled: Agent) -> None:
    claimed = await filled.calls("claim_task", task_id="t1", lease_seconds=60)
    expiries = [(await _page(filled, "read_plan"))["tasks"][0]["lease_expires_at"] for _ in range(2)]

    table.clock.ahead = 30 * SECOND
    renewed = await filled.calls("renew_task", task_id="t1", lease=claimed["lease"], lease_seconds=60)
    held = (await _page(filled, "read_plan"))["tasks"][0]
    table.clock.ahead = 91 * SECOND
    left = (await _page(filled, "read_plan"))["tasks"][0]

    assert expiries == [claimed["lease_expires_at"]] * 2
    assert held["lease_expires_at"] == renewed["lease_expires_at"] != claimed["lease_expires_at"]
    assert (held["status"], left["status"], left["ready"]) == ("in_progress", "pending", True)


async def test_a_page_of_messages_is_kept_for_those_who_may_see_the_same(filled: Agent, bob: Agent) -> None:
    await filled.calls("add_message", content="For me alone", visibility="private")

    seen = [[message["content"] for message in (await _page(agent, "get_messages"))["messages"]]
            for agent in (filled, bob, filled, bob)]  # fmt: skip

    assert seen == [["The first", "For me alone"], ["The first"]] * 2


async def test_a_page_is_kept_for_one_session(table: Table, filled: Agent) -> None:
    other = table.agent("alice", await table.session("sess_other"))

    assert [len((await _page(agent, "read_notes"))["notes"]) for agent in (filled, other, filled)] == [1, 0, 1]


async def test_a_page_is_kept_for_one_tenant(company: Table) -> None:
    agents = [company.agent("ann", "sess_same", f"{tenant}-secret") for tenant in ("acme", "rival")]
    for tenant, agent in zip(("acme", "rival"), agents, strict=True):
        creator = company.agent(token=f"{tenant}-secret")
        await creator.calls("create_session", session_id="sess_same")
        await agent.adds_note(f"Of {tenant}")

    seen = [(await agent.reads_notes())[0]["content"] for agent in agents * 2]

    assert seen == ["Of acme", "Of rival"] * 2


async def test_many_who_read_at_once_get_the_same_page_though_one_of_them_leaves(filled: Agent) -> None:
    leaver, *others = [asyncio.create_task(filled.reads_notes()) for _ in range(20)]
    await asyncio.sleep(0)
    leaver.cancel()

    pages = await asyncio.gather(*others)

    assert leaver.cancelled()
    assert [[note["content"] for note in page] for page in pages] == [["The first"]] * 19


async def _page(agent: Agent, tool: str, **arguments: Any) -> dict[str, Any]:
    page = await agent.calls(tool, **arguments)
    return {name: value for name, value in page.items() if name not in ("timestamp", "inbox")}


@pytest.mark.parametrize(
    ("tool", "adding", "items"), [("read_notes", "add_note", "notes"), ("get_messages", "add_message", "messages")]
)
async def test_a_page_that_grows_again_and_again_shows_everything_once(
    alice: Agent, tool: str, adding: str, items: str
) -> None:
    added: list[str] = []
    for _ in range(4):
        for _ in range(2):
            added.append(f"the {len(added)}th")
            await alice.calls(adding, content=added[-1])

        page = (await alice.calls(tool))[items]

        assert [item["content"] for item in page] == added
