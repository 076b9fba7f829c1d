"""`longtable migrate`: the whole store to PostgreSQL, or back to the embedded one, compared row by row."""

import asyncio
import os
from contextlib import AsyncExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer

from longtable.app import open_for_operator
from longtable.cli.flags import FlagValues, command_with_options
from longtable.cli.output import AsJson, say, say_json
from longtable.cli.progress import progress_bars
from longtable.cli.store import STORE_FLAGS, verified_audit_records
from longtable.kernel.errors import ConfigError, InvalidArgument
from longtable.settings.checks import STORE_FILE, has_store_file
from longtable.settings.load import load_unbound
from longtable.settings.options import Settings
from longtable.storage.sqlite_copy import SqliteSource, SqliteTarget
from longtable.storage.store_copy import CopyReport, CopySource, CopyTarget, StoreCopy

_SERVER_SCHEMES = ("postgresql://", "postgres://")


def register(app: typer.Typer) -> None:
    @command_with_options(app, "migrate", only=STORE_FLAGS)
    def migrate(
        flags: FlagValues,
        to: Annotated[
            str,
            typer.Option(
                metavar="URL",
                envvar="LONGTABLE_MIGRATE_TO",
                help="postgresql://USER:PASSWORD@HOST/DATABASE, or the data folder of a new embedded store. Others see "
                "a password in a flag: better in the environment.",
            ),
        ],
        as_json: AsJson = False,
    ) -> None:
        """Copy the store to another engine, row by row, and compare both. Nobody may use the source meanwhile; it stays
        as it is. If it is interrupted, the same command goes on where it stopped."""
        source = load_unbound(flags, os.environ).settings
        target = _target_settings(source, to)
        report = asyncio.run(_copy(source, target))
        records = asyncio.run(_verified(target))
        _report(source, target, report, records, as_json)


def _target_settings(source: Settings, to: str) -> Settings:
    if to.startswith(_SERVER_SCHEMES):
        return replace(source, store=to, postgres_pooler="none", postgres_direct=None)
    if "://" in to:
        raise InvalidArgument.at("to", "must be a postgresql:// URL or a folder")
    folder = Path(to).expanduser()
    return replace(source, store="sqlite", data_dir=folder.parent if folder.name == STORE_FILE else folder)


async def _copy(source: Settings, target: Settings) -> CopyReport:
    async with AsyncExitStack() as opened:
        opened_source = await _open_source(source)
        opened.push_async_callback(opened_source.close)
        opened_target = await _open_target(target)
        opened.push_async_callback(opened_target.close)
        tables = (await opened_source.tables()).values()
        total = sum([await opened_source.count(table) for table in tables])
        with progress_bars("Copying", "Comparing", total=total) as (copied, compared):
            return await StoreCopy(opened_source, opened_target, _name(source), copied, compared).run()


async def _open_source(settings: Settings) -> CopySource:
    if settings.store != "sqlite":
        from longtable.storage.postgres_copy import PostgresSource

        return await PostgresSource.open(settings.postgres_direct or settings.store)

    if not has_store_file(settings.data_dir):
        raise ConfigError(
            f"data_dir: there is no store in {settings.data_dir}.", hint="Name the folder of one with --data-dir."
        )
    return await SqliteSource.open(settings.data_dir / STORE_FILE)


async def _open_target(settings: Settings) -> CopyTarget:
    if settings.store != "sqlite":
        from longtable.storage.postgres_copy import PostgresTarget

        return await PostgresTarget.open(settings.store)

    return await SqliteTarget.open(settings.data_dir / STORE_FILE)


def _name(settings: Settings) -> str:
    """Where a store is, without its password."""
    if settings.store == "sqlite":
        return str((settings.data_dir / STORE_FILE).absolute())
    parts = urlsplit(settings.store)
    return f"postgresql://{parts.netloc.rpartition('@')[2]}{parts.path}{f'?{parts.query}' if parts.query else ''}"


async def _verified(settings: Settings) -> int:
    async with open_for_operator(settings) as app:
        return await verified_audit_records(app, "The audit log of the source does not hold: it was changed.")


def _report(source: Settings, target: Settings, report: CopyReport, records: int, as_json: bool) -> None:
    rows = sum(each.rows for each in report.tables)
    fields: dict[str, Any] = {
        "from": _name(source),
        "to": _name(target),
        "rows": rows,
        "resumed": report.was_resumed,
        "audit_records": records,
        "tables": [asdict(each) for each in report.tables],
    }
    if as_json:
        say_json({"ok": True, **fields})
        return
    say(f"{fields['to']} holds the store: {rows:,} rows of {len(report.tables)} tables, each compared with its source.")
    say(f"Its audit log was verified ({records:,} records). The first server on it makes the search index.")
