"""`longtable backup` and `restore`: a copy of the embedded store while it is in use, and a store from a copy."""

import asyncio
import os
from pathlib import Path
from typing import Annotated, Any

import typer

from longtable.app import App
from longtable.cli.flags import FlagValues, command_with_options
from longtable.cli.output import AsJson, say, say_json
from longtable.cli.store import STORE_FLAGS, on_existing_store
from longtable.kernel.errors import ConfigError, ValidationFailed
from longtable.log.verify import audited_tenants, verify_chain
from longtable.settings.checks import STORE_FILE
from longtable.settings.load import load_unbound
from longtable.storage.sqlite import SqliteDatabase
from longtable.storage.sqlite_backup import BackupFacts, finish_backup, restore_backup

_PG_DUMP = "PostgreSQL has its own: pg_dump and pg_restore; see 'Back up PostgreSQL' in the documentation."


def register(app: typer.Typer) -> None:
    @command_with_options(app, "backup", only=STORE_FLAGS)
    def backup(
        flags: FlagValues,
        file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to make.")],
        overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace FILE if it is there.")] = False,
        as_json: AsJson = False,
    ) -> None:
        """Write a consistent copy of the store while servers go on writing, and check it. FILE appears when it is
        complete. It holds all that agents wrote and hashes of tokens: keep it as you keep the store."""
        if file.exists() and not overwrite:
            raise ConfigError(f"{file} is there already.", hint="Name another file, or give --overwrite.")
        target = file.absolute()
        facts = on_existing_store(flags, lambda app: _back_up(app, target))
        _tell({"file": str(file)}, facts, f"{file} holds the store", as_json)

    @command_with_options(app, "restore", only=STORE_FLAGS)
    def restore(
        flags: FlagValues,
        file: Annotated[Path, typer.Argument(metavar="FILE", help="A copy that 'longtable backup' has made.")],
        as_json: AsJson = False,
    ) -> None:
        """Make a store from a backup, in a data folder that has none, and verify its audit log. The backup stays as it
        is."""
        settings = load_unbound(flags, os.environ).settings
        if settings.store != "sqlite":
            raise ConfigError("A backup is restored to the embedded store.", hint=_PG_DUMP)
        target = settings.data_dir / STORE_FILE
        facts = restore_backup(file, target)
        records = on_existing_store(flags, _verified)
        _tell({"data_dir": str(settings.data_dir), "audit_records": records}, facts, f"{target} is restored", as_json)


async def _back_up(app: App, file: Path) -> BackupFacts:
    if not isinstance(app.database, SqliteDatabase):
        raise ConfigError("Only the embedded store is one file.", hint=_PG_DUMP)
    try:
        await app.database.backup(file)
        return await asyncio.to_thread(finish_backup, file)
    except OSError as error:
        raise ConfigError(f"{file} cannot be written ({error.strerror}).") from None


async def _verified(app: App) -> int:
    results = [await verify_chain(app.database, tenant, None) for tenant in await audited_tenants(app.database)]
    broken = [result.tenant for result in results if not result.holds]
    if broken:
        raise ValidationFailed(
            "The audit log of the backup does not hold: it was changed.",
            hint="'longtable audit verify' names the record. The store is there all the same.",
            tenants=broken,
        )
    return sum(result.records for result in results)


def _tell(where: dict[str, Any], facts: BackupFacts, sentence: str, as_json: bool) -> None:
    told = {**where, "events": facts.events, "schema": facts.schema, "bytes": facts.size}
    if as_json:
        say_json({"ok": True, **told})
    else:
        say(f"{sentence}, up to event {facts.events} ({facts.size:,} bytes, checked).")
