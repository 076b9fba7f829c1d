"""Exports and imports for tests: the same as the commands do, in the process of the test."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from longtable.app import App, open_for_operator
from longtable.kernel.caller import Caller, Role, Surface
from longtable.settings.load import load
from longtable.transfer.model import ExportScope, ImportChoice, Imported
from tests.stores import Store


async def operator(tenant: str) -> Caller:
    return Caller(tenant, Role.OWNER, "human:operator", "generic", Surface.CLI)


async def exported(app: App, **scope: Any) -> bytes:
    lines: list[bytes] = []
    await app.slices.transfers.exporter.export(ExportScope(**{"tenant": "default", **scope}), lines.append, operator)
    return b"".join(lines)


async def imported(app: App, content: bytes, folder: Path, **choice: Any) -> Imported:
    file = folder / "import.jsonl"
    file.write_bytes(content)
    return await app.slices.transfers.importer.import_file(file, ImportChoice(**choice), operator)


@asynccontextmanager
async def opened(store: Store, folder: Path) -> AsyncIterator[App]:
    """A store as a command opens it."""
    place = {"data_dir": str(Path(store.address).parent)} if store.kind == "sqlite" else {"store": store.address}
    flags: dict[str, Any] = {"data_dir": str(folder / "data"), "log_level": "error", "durability": "fast", **place}
    async with open_for_operator(load(flags, {}).settings) as app:
        yield app
