"""`longtable export`: what the store holds as a file, or as a folder to read."""

import os
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, BinaryIO, Literal

import typer

from longtable.app import App
from longtable.cli.flags import FlagValues, command_with_options
from longtable.cli.output import AsJson, counted, say_result
from longtable.cli.owner import owner_of
from longtable.cli.store import STORE_FLAGS, check_tenant, on_existing_store
from longtable.kernel.caller import DEFAULT_TENANT, Caller
from longtable.kernel.errors import ConfigError, InvalidArgument
from longtable.transfer.exporter import Exporter
from longtable.transfer.markdown_folder import MarkdownFolder
from longtable.transfer.model import Exported, ExportScope

ExportFormat = Literal["jsonl", "markdown"]


def register(app: typer.Typer) -> None:
    @command_with_options(app, "export", only=STORE_FLAGS)
    def export(  # noqa: PLR0913 - each one is a flag
        *,
        flags: FlagValues,
        path: Annotated[Path, typer.Argument(metavar="PATH", help="The file to make, or the folder for Markdown.")],
        format: Annotated[ExportFormat, typer.Option("--format", help="markdown makes a folder to read.")] = "jsonl",
        session: Annotated[str | None, typer.Option("--session", help="Only this session.")] = None,
        notebook: Annotated[str | None, typer.Option("--notebook", help="Only this scratchpad.")] = None,
        tenant: Annotated[str | None, typer.Option(help="Whose. Without it and the two above: everything.")] = None,
        overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace PATH if it is there.")] = False,
        as_json: AsJson = False,
    ) -> None:
        """Write what the store holds to a file, while servers go on writing. It is of one moment, complete, and the
        same for the same content. PATH holds all that agents wrote: keep it as you keep the store."""
        scope = _scope(session, notebook, tenant)
        _check_free(path, format, overwrite)
        export_to = _export if format == "jsonl" else _export_markdown
        exported = on_existing_store(flags, lambda app: export_to(app, scope, path.absolute()))
        body = {"ok": True, "path": str(path), **exported.model_dump(mode="json")}
        say_result(body, f"{path} has {_counted(exported)}.", as_json)


def _scope(session: str | None, notebook: str | None, tenant: str | None) -> ExportScope:
    if session is not None and notebook is not None:
        raise InvalidArgument.at("notebook", "does not go with --session")
    whose = None if tenant is None else check_tenant(tenant)
    if session is None and notebook is None:
        return ExportScope(whose)
    return ExportScope(whose or DEFAULT_TENANT, session, notebook)


@contextmanager
def _complete_file(path: Path) -> Iterator[BinaryIO]:
    """The file appears when it is complete."""
    unfinished = ""
    try:
        handle, unfinished = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(unfinished).replace(path)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written ({error.strerror}).") from None
    finally:
        with suppress(OSError):
            Path(unfinished).unlink()


@contextmanager
def _complete_folder(path: Path) -> Iterator[Path]:
    """As for a file: the folder appears when it is complete, and may replace an empty one."""
    unfinished = ""
    try:
        unfinished = tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent)
        yield Path(unfinished)
        with suppress(FileNotFoundError):
            path.rmdir()
        Path(unfinished).rename(path)
        path.chmod(0o700)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written ({error.strerror}).") from None
    finally:
        if unfinished:
            shutil.rmtree(unfinished, ignore_errors=True)


def _check_free(path: Path, format: ExportFormat, overwrite: bool) -> None:
    if format == "markdown":
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise ConfigError(f"{path} is there already, and not an empty folder.", hint="Name another folder.")
        if overwrite:
            raise InvalidArgument.at("overwrite", "does not go with --format markdown")
    elif path.exists() and not overwrite:
        raise ConfigError(f"{path} is there already.", hint="Name another file, or give --overwrite.")


async def _export_markdown(app: App, scope: ExportScope, path: Path) -> Exported:
    with _complete_folder(path) as folder:
        markdown = MarkdownFolder(folder)
        exported = await Exporter(app.ledger).export(scope, markdown.write, caller_of(app))
        markdown.finish()
    return Exported(sessions=exported.sessions, scratchpads=exported.scratchpads, records=exported.records)


async def _export(app: App, scope: ExportScope, path: Path) -> Exported:
    with _complete_file(path) as file:
        return await Exporter(app.ledger).export(scope, file.write, caller_of(app))


def caller_of(app: App) -> Callable[[str], Awaitable[Caller]]:
    return lambda tenant: app.names.with_stored_name(owner_of(tenant))


def _counted(exported: Exported) -> str:
    things = [(exported.sessions, "session"), (exported.scratchpads, "scratchpad"), (exported.records, "record")]
    words = [counted(count, name) for count, name in things]
    return f"{words[0]}, {words[1]} and {words[2]}"
