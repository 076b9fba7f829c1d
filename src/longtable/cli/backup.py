"""`longtable backup` and `restore`: a copy of the embedded store while it is in use, and a store from a copy."""

import asyncio
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from longtable.app import App
from longtable.cli.flags import FlagValues, command_with_options
from longtable.cli.human_secret import secret_from_file
from longtable.cli.output import AsJson, say_result
from longtable.cli.store import STORE_FLAGS, on_existing_store, verified_audit_records
from longtable.kernel.errors import ConfigError
from longtable.settings.checks import STORE_FILE
from longtable.settings.load import load_unbound
from longtable.storage.sqlite import SqliteDatabase
from longtable.storage.sqlite_backup import BackupFacts, finish_backup, require_no_store, restore_backup
from longtable.storage.sqlite_file import ensure_folder

PASSPHRASE = "LONGTABLE_BACKUP_PASSPHRASE"
_CHANGED = "The audit log of the backup does not hold: it was changed."
_PG_DUMP = "PostgreSQL has its own: pg_dump and pg_restore; see 'Back up PostgreSQL' in the documentation."

PassphraseFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help=f"The passphrase of an encrypted backup is its first line; only you may read it. Or set {PASSPHRASE}.",
        show_default="not encrypted",
    ),
]


def register(app: typer.Typer) -> None:
    @command_with_options(app, "backup", only=STORE_FLAGS)
    def backup(
        flags: FlagValues,
        file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to make.")],
        overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace FILE if it is there.")] = False,
        passphrase_file: PassphraseFile = None,
        as_json: AsJson = False,
    ) -> None:
        """Write a consistent copy of the store while servers go on writing, and check it. FILE appears when it is
        complete. It holds all that agents wrote and hashes of tokens: keep it as you keep the store, or encrypt it."""
        if file.exists() and not overwrite:
            raise ConfigError(f"{file} is there already.", hint="Name another file, or give --overwrite.")
        target, passphrase = file.absolute(), _passphrase(passphrase_file)
        facts = on_existing_store(flags, lambda app: _back_up(app, target, passphrase))
        where = {"file": str(file), "encrypted": passphrase is not None}
        _report(where, facts, f"{file} holds the store{', encrypted' if passphrase else ''}", as_json)

    @command_with_options(app, "restore", only=STORE_FLAGS)
    def restore(
        flags: FlagValues,
        file: Annotated[Path, typer.Argument(metavar="FILE", help="A copy that 'longtable backup' has made.")],
        passphrase_file: PassphraseFile = None,
        as_json: AsJson = False,
    ) -> None:
        """Make a store from a backup, in a data folder that has none, and verify its audit log. The backup stays as it
        is."""
        settings = load_unbound(flags, os.environ).settings
        if settings.store != "sqlite":
            raise ConfigError("A backup is restored to the embedded store.", hint=_PG_DUMP)
        target = settings.data_dir / STORE_FILE
        facts = _restored(file, target, _passphrase(passphrase_file))
        records = on_existing_store(flags, lambda app: verified_audit_records(app, _CHANGED))
        _report({"data_dir": str(settings.data_dir), "audit_records": records}, facts, f"{target} is restored", as_json)


def _passphrase(file: Path | None) -> str | None:
    given = os.environ.get(PASSPHRASE) if file is None else secret_from_file(file, "--passphrase-file")
    if given == "":
        raise ConfigError("The passphrase is empty.")
    return given


async def _back_up(app: App, file: Path, passphrase: str | None) -> BackupFacts:
    if not isinstance(app.database, SqliteDatabase):
        raise ConfigError("Only the embedded store is one file.", hint=_PG_DUMP)
    try:
        if passphrase is None:
            await app.database.backup(file)
            return await asyncio.to_thread(finish_backup, file)
        with _plain_copy(app.settings.data_dir) as plain:
            await app.database.backup(plain)
            facts = await asyncio.to_thread(finish_backup, plain)
            from longtable.storage.backup_encryption import encrypt_file

            size = await asyncio.to_thread(encrypt_file, plain, file, passphrase)
            return BackupFacts(facts.schema, facts.events, size)
    except OSError as error:
        raise ConfigError(f"{file} cannot be written ({error.strerror}).") from None


def _restored(file: Path, target: Path, passphrase: str | None) -> BackupFacts:
    # Only who encrypts loads what it takes.
    from longtable.storage.backup_encryption import decrypt_file, is_encrypted

    if not is_encrypted(file):
        return restore_backup(file, target)
    if passphrase is None:
        raise ConfigError(f"{file} is encrypted.", hint=f"Give --passphrase-file, or set {PASSPHRASE}.")
    require_no_store(target)
    was_there = target.parent.exists()
    ensure_folder(target.parent)
    try:
        with _plain_copy(target.parent) as plain:
            decrypt_file(file, plain, passphrase)
            return restore_backup(plain, target)
    except ConfigError:
        if not was_there:
            target.parent.rmdir()
        raise


@contextmanager
def _plain_copy(data_dir: Path) -> Iterator[Path]:
    """In the data folder, which is as closed as the store; never beside the backup, which may be on another disk."""
    plain = data_dir / f"backup-{secrets.token_hex(4)}.part-{os.getpid()}"
    try:
        yield plain
    finally:
        plain.unlink(missing_ok=True)


def _report(where: dict[str, Any], facts: BackupFacts, sentence: str, as_json: bool) -> None:
    fields = {**where, "events": facts.events, "schema": facts.schema, "bytes": facts.size}
    holds = f"{sentence}, up to event {facts.events} ({facts.size:,} bytes, checked)."
    say_result({"ok": True, **fields}, holds, as_json)
