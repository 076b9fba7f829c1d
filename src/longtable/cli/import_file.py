"""`longtable import`: an export, or what another program has kept, into the store."""

from pathlib import Path
from typing import Annotated

import typer

from longtable.app import App
from longtable.cli.export import caller_of
from longtable.cli.flags import FlagValues, command_with_options
from longtable.cli.output import AsJson, counted, note, say, say_json, visible
from longtable.cli.store import STORE_FLAGS, check_tenant, on_store
from longtable.kernel.caller import DEFAULT_TENANT
from longtable.kernel.errors import InvalidArgument
from longtable.kernel.ids import SESSION_ID_FORM, is_session_id, new_session_id
from longtable.notebooks.model import check_scratch_id
from longtable.transfer.foreign_import import ForeignChoice, Source, as_export
from longtable.transfer.importer import Importer
from longtable.transfer.model import ImportChoice, Imported, OnConflict, TransferLimits
from longtable.transfer.sources.foreign import NewSession

_LIMITS = (
    "max_sessions",
    "max_notes",
    "max_note_bytes",
    "max_sections",
    "max_section_bytes",
    "max_tasks",
    "max_questions",
    "max_messages",
    "max_memory",
    "max_scratchpads",
    "max_cells_per_pad",
    "max_cell_bytes",
)


def register(app: typer.Typer) -> None:
    @command_with_options(app, "import", only=(*STORE_FLAGS, *_LIMITS), shown=STORE_FLAGS)
    def import_file(  # noqa: PLR0913 - each one is a flag
        *,
        flags: FlagValues,
        path: Annotated[Path, typer.Argument(metavar="PATH", help="An export, or what another program has kept.")],
        source: Annotated[
            Source | None, typer.Option("--from", help="Which program it is of; else recognised by its content.")
        ] = None,
        session: Annotated[
            str | None, typer.Option("--session", help="The id of the new session, for files of other programs.")
        ] = None,
        notebook: Annotated[
            str | None, typer.Option("--notebook", help="Make Markdown files cells of a new scratchpad with this id.")
        ] = None,
        tenant: Annotated[str | None, typer.Option(help="Where it goes; else the tenants that the file names.")] = None,
        on_conflict: Annotated[OnConflict, typer.Option(help="What to do about ids that are there already.")] = (
            "refuse"
        ),
        dry_run: Annotated[bool, typer.Option("--dry-run", help="Check it, and tell what would be made.")] = False,
        as_json: AsJson = False,
    ) -> None:
        """Bring an export into the store, beside what is there, or what another program has kept into a new session.
        All of it is checked first; each session and scratchpad is imported as a whole or not at all, and marked as
        imported: answers and approvals in it are history. It takes the limits of 'longtable serve', such as
        --max-notes: give it those that your server has."""
        choice = ImportChoice(None if tenant is None else check_tenant(tenant), on_conflict, dry_run)
        _check_ids(session, notebook)

        async def work(opened: App) -> Imported:
            caller = await caller_of(opened)(choice.tenant or DEFAULT_TENANT)
            now, settings = opened.clock(), opened.settings
            new = NewSession(
                session or new_session_id(), caller.agent, now, now + settings.session_ttl, settings.max_note_bytes
            )
            with as_export(path, ForeignChoice(new, source, session is not None, notebook)) as file:
                return await Importer(opened.ledger, TransferLimits.of(settings)).import_file(
                    file, choice, caller_of(opened)
                )

        _report(on_store(flags, work), as_json)


def _check_ids(session: str | None, notebook: str | None) -> None:
    if session is not None and not is_session_id(session):
        raise InvalidArgument.at("session", SESSION_ID_FORM)
    if notebook is not None:
        if session is not None:
            raise InvalidArgument.at("notebook", "does not go with --session")
        check_scratch_id(notebook)


def _report(imported: Imported, as_json: bool) -> None:
    if as_json:
        say_json({"ok": True, **imported.model_dump(mode="json")})
        return
    things = [
        counted(len(imported.sessions), "session"),
        counted(len(imported.scratchpads), "scratchpad"),
        counted(imported.memory, "memory entry", "memory entries"),
    ]
    done = "Would import" if imported.dry_run else "Imported"
    say(f"{done} {counted(imported.records, 'record')}: {', '.join(things)}.")
    if len(imported.sessions) == 1:
        note(f"Session {imported.sessions[0]}")
    for id in imported.skipped:
        note(f"There already, left out: {visible(id)}")
