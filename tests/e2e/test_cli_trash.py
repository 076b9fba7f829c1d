"""The trash from the command line: what agents threw away, and the way back."""

from pathlib import Path
from typing import Any

import pytest

from longtable.app import open_for_operator
from longtable.cli.owner import tool_call
from longtable.settings.load import load
from tests.e2e.program import Program
from tests.e2e.servers import place_of
from tests.stores import Store


@pytest.fixture
def program(store: Store, tmp_path: Path) -> Program:
    return Program(tmp_path / "data", place_of(store, tmp_path))


async def call(program: Program, tool: str, tenant: str = "default", **arguments: Any) -> dict[str, Any]:
    """Has a tool called on the store of the program, beside it."""
    place = {"data_dir": str(program.data_dir), "log_level": "error", **program.options}
    async with open_for_operator(load(place, {}).settings) as app:
        return await tool_call(tool, tenant, arguments)(app)


async def throw_away(program: Program, *scratch_ids: str, tenant: str = "default") -> None:
    for scratch_id in scratch_ids:
        cells = [{"language": "txt", "content": f"text of {scratch_id}"}]
        await call(program, "scratch_create", tenant, scratch_id=scratch_id, cells=cells)
        await call(program, "scratch_delete", tenant, scratch_id=scratch_id)


async def test_what_was_deleted_is_listed_and_comes_back_with_its_cells(program: Program) -> None:
    await throw_away(program, "plans")

    listed = program.does("trash", "list")["trash"]
    restored = program.does("trash", "restore", listed[0]["trash_id"])

    assert [(entry["scratch_id"], entry["reason"], entry["cell_count"]) for entry in listed] == [
        ("plans", "deleted", 1)
    ]
    assert restored["scratchpad"]["scratch_id"] == "plans"
    read = await call(program, "scratch_read", scratch_id="plans")
    assert [cell["content"] for cell in read["scratchpad"]["cells"]] == ["text of plans"]
    assert program.does("trash", "list")["trash"] == []


async def test_the_id_of_a_scratchpad_stands_for_its_newest_entry(program: Program) -> None:
    await throw_away(program, "plans", "plans")
    newest, oldest = program.does("trash", "list")["trash"]

    program.does("trash", "restore", "plans")

    assert [entry["trash_id"] for entry in program.does("trash", "list")["trash"]] == [oldest["trash_id"]]
    assert newest["trashed_at"] >= oldest["trashed_at"]


async def test_what_lives_under_the_id_now_goes_to_the_trash_in_its_place(program: Program) -> None:
    await throw_away(program, "plans")
    await call(program, "scratch_create", scratch_id="plans", metadata={"title": "newer"})

    ended = program.run("trash", "restore", "plans")

    assert (ended.status, ended.out) == (0, "plans is back, with 1 cells.\n")
    left = program.does("trash", "list")["trash"]
    assert [(entry["title"], entry["reason"]) for entry in left] == [("newer", "replaced")]


async def test_the_list_goes_on_page_by_page_and_is_the_tenants_own(program: Program) -> None:
    await throw_away(program, "one", "two", "three")
    await throw_away(program, "theirs", tenant="rival")

    page = program.does("trash", "list", "--limit", "2")
    rest = program.does("trash", "list", "--cursor", page["next_cursor"])
    shown = program.run("trash", "list", "--limit", "2")

    assert [entry["scratch_id"] for entry in page["trash"]] == ["three", "two"]
    assert [entry["scratch_id"] for entry in rest["trash"]] == ["one"]
    assert shown.out.splitlines()[0].split()[:3] == ["trash_id", "scratch_id", "title"]
    assert shown.err == f"There are more: --cursor {page['next_cursor']}\n"
    assert program.refuses("trash", "restore", "theirs") == (1, "NOT_FOUND")


async def test_what_comes_back_evicts_nothing_though_a_server_may_allow_more_than_the_command_knows_of(
    program: Program,
) -> None:
    await throw_away(program, "plans")
    for scratch_id in ("one", "two"):
        await call(program, "scratch_create", scratch_id=scratch_id)

    restored = program.does("trash", "restore", "plans", max_scratchpads="1")

    assert "evicted_scratchpads" not in restored
    assert program.does("trash", "list")["trash"] == []


async def test_what_is_still_there_comes_back_however_long_the_command_would_have_kept_it(program: Program) -> None:
    await throw_away(program, "plans")

    listed = program.does("trash", "list", trash_retention="0")["trash"]
    restored = program.does("trash", "restore", "plans", trash_retention="0")
    shown = program.does("trash", "list", "--trash-retention", "30d")["trash"]

    assert [entry["scratch_id"] for entry in listed] == ["plans"]
    assert restored["scratchpad"]["scratch_id"] == "plans"
    assert shown == []


async def test_what_agents_wrote_cannot_steer_the_terminal(program: Program) -> None:
    await call(program, "scratch_create", scratch_id="evil", metadata={"title": "\x1b[2J[red]plain\x07"})
    await call(program, "scratch_delete", scratch_id="evil")

    listed = program.run("trash", "list")

    assert "[red]plain" in listed.out
    assert not {"\x1b", "\x07"} & set(listed.out)


def test_a_folder_without_a_store_and_an_unknown_id_are_refused(tmp_path: Path) -> None:
    program = Program(tmp_path / "data")

    assert program.refuses("trash", "list") == (1, "CONFIG_ERROR")
    assert not program.data_dir.exists()
    program.does("sessions", "create", "--session-id", "plans")
    assert program.refuses("trash", "restore", "nothing") == (1, "NOT_FOUND")
    assert program.refuses("trash", "list", "--limit", "0") == (2, "INVALID_ARGUMENT")
    assert program.refuses("trash", "list", "--cursor", "x") == (2, "INVALID_ARGUMENT")
    assert program.refuses("trash", "list", "--tenant", "*") == (2, "INVALID_ARGUMENT")
