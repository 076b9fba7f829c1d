"""`longtable trash`: scratchpads that were deleted, reset or evicted, and the way back."""

from typing import Annotated

import typer

from longtable.cli.flags import FlagValues, command_with_options
from longtable.cli.output import AsJson, say_result, say_rows, visible
from longtable.cli.owner import tool_call
from longtable.cli.store import STORE_FLAGS, on_existing_store
from longtable.kernel.caller import DEFAULT_TENANT

group = typer.Typer(help="List and restore scratchpads that were deleted, reset or evicted.")

Tenant = Annotated[str, typer.Option(help="Whose scratchpads.")]
_COLUMNS = ("trash_id", "scratch_id", "title", "reason", "trashed_by", "expires_at")


@command_with_options(group, "list", only=(*STORE_FLAGS, "trash_retention"))
def list_trash(
    flags: FlagValues,
    tenant: Tenant = DEFAULT_TENANT,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most so many.")] = 50,
    cursor: Annotated[str | None, typer.Option(help="Go on where an earlier list ended.")] = None,
    as_json: AsJson = False,
) -> None:
    """List what can be restored, newest first."""
    answer = on_existing_store(flags, tool_call("list_trash", tenant, {"limit": limit, "cursor": cursor}))
    rows = [[entry[column] for column in _COLUMNS] for entry in answer["trash"]]
    more = [f"There are more: --cursor {answer['next_cursor']}"] if "next_cursor" in answer else []
    say_rows(answer, _COLUMNS, rows, as_json, *more)


@command_with_options(group, "restore", only=STORE_FLAGS)
def restore(
    flags: FlagValues,
    trash_id: Annotated[str, typer.Argument(metavar="TRASH_ID", help="Of the entry, or of the scratchpad.")],
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """Bring a scratchpad back; one that lives under its id now goes to the trash in its place."""
    answer = on_existing_store(flags, tool_call("restore_scratchpad", tenant, {"trash_id": trash_id}))
    scratchpad = answer["scratchpad"]
    evicted = [f"{visible(each)} went to the trash to make room." for each in answer.get("evicted_scratchpads", ())]
    back = f"{visible(scratchpad['scratch_id'])} is back, with {scratchpad['cell_count']} cells."
    say_result(answer, back, as_json, *evicted)
