"""What lies beside the embedded store: lock, log, link, backups, key, anchor."""

import asyncio
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from longtable.doctor.findings import HealthFinding, fine
from longtable.doctor.store_checks import check_mode
from longtable.log.anchors import AnchorFile
from longtable.settings.checks import STORE_FILE
from longtable.settings.options import Settings
from longtable.storage.inspection import inspect_heads

_KEY: Final = "upstream-tokens.key"
_LEAST_KEY: Final = 32


def check_beside_store(settings: Settings) -> Iterator[HealthFinding]:
    folder = settings.data_dir
    if not folder.is_dir():
        return
    store = folder / STORE_FILE
    yield from _check_files(store)
    yield from _check_backups_folder(folder / "backups")
    yield from _check_key(folder / _KEY)
    unfinished = folder / f"{STORE_FILE}.unfinished"
    if unfinished.exists():
        remedy = "Run the same 'longtable migrate' again, or delete it."
        yield HealthFinding("leftovers", "warning", f"{unfinished} is an unfinished copy of another store.", remedy)
    if store.is_file():
        yield from _check_anchor(settings, store)


def _check_files(store: Path) -> Iterator[HealthFinding]:
    if store.is_symlink() and not store.exists():
        problem = f"{store} is a link to {os.readlink(store)}, which is not there."
        yield HealthFinding("store", "error", problem, "Mount or restore what it leads to, or remove the link.")
    lock = store.with_name(f"{STORE_FILE}.lock")
    if lock.exists() and not lock.is_file():
        problem = f"{lock} is no file, so no server can lock the store."
        yield HealthFinding("lock", "error", problem, f"Remove {lock}: the next start makes it.")
    elif lock.exists() and not lock.stat().st_mode & stat.S_IWUSR:
        yield HealthFinding("lock", "error", f"{lock} is read-only.", f"chmod u+w {lock}")


def _check_backups_folder(folder: Path) -> Iterator[HealthFinding]:
    if not folder.exists():
        return
    if not folder.is_dir():
        problem = f"{folder} is no folder: neither scheduled backups nor the copy before an upgrade can be made."
        yield HealthFinding("backups", "error", problem, "Move it away.")
        return
    yield from check_mode("backups", folder, 0o700)


def _check_key(path: Path) -> Iterator[HealthFinding]:
    if not path.is_file():
        return
    yield from check_mode("key", path, 0o600)
    try:
        is_key = len(path.read_text("ascii").strip()) >= _LEAST_KEY
    except (OSError, UnicodeDecodeError):
        is_key = False
    if not is_key:
        remedy = "Put the right one back; or remove it, and connect the upstreams again."
        yield HealthFinding("key", "error", f"{path}, which encrypts tokens of upstreams, is no key.", remedy)


def _check_anchor(settings: Settings, store: Path) -> Iterator[HealthFinding]:
    file = AnchorFile.of(settings.data_dir, settings.store)
    if not file.path.is_file():
        return
    heads = inspect_heads(store)
    if heads is None:
        return
    anchors = asyncio.run(file.read())
    short = sorted(tenant for tenant, anchor in anchors.items() if anchor.seq > heads.get(tenant, 0))
    if short:
        problem = f"The store has lost the end of its audit log (tenants: {', '.join(short)[:200]})."
        remedy = "After a restore on purpose: 'longtable audit verify --accept-shorter'. Else restore a newer copy."
        yield HealthFinding("audit", "error", problem, remedy)
    else:
        yield fine("audit", "The log reaches as far as the anchor beside the store.")
