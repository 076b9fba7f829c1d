"""The entry of a program for one tenant or session: with a folder of its own, and told whose it is.

A process for each tenant keeps apart what a program keeps in memory. What it writes to files is kept apart only where
each process has other files: those of known programs are put into the folder, others must be told to by their entry."""

import re
import shutil
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Final

from longtable.upstreams.directory import InstanceKey
from longtable.upstreams.entries import StdioEntry
from longtable.upstreams.placeholders import INSTANCE_DIR, SESSION, TENANT, fill

_FILES: Final = {"server-memory": ("MEMORY_FILE_PATH", "memory.jsonl")}
"""Programs by a part of their command, with the variable that names their file and its name in the folder."""
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


def instance_entry(entry: StdioEntry, key: InstanceKey, root: Path) -> StdioEntry:
    """The entry itself for a shared program."""
    if key.tenant is None:
        return entry
    folder = str(_folder(key, root))
    values = {INSTANCE_DIR: folder, TENANT: key.tenant} | ({SESSION: key.session} if key.session else {})
    variable, file = known_file(entry) or (None, "")
    own = {variable: str(Path(folder) / file)} if variable is not None else {}
    return replace(
        entry,
        args=tuple(fill(word, values) for word in entry.args),
        env={**values, **own, **{name: fill(value, values) for name, value in entry.env.items()}},
        cwd=None if entry.cwd is None else fill(entry.cwd, values),
        instance_dir=folder,
    )


def known_file(entry: StdioEntry) -> tuple[str, str] | None:
    """The variable that says where a known program keeps its data, and the file."""
    words = (entry.command, *entry.args)
    return next((file for part, file in _FILES.items() if any(part in word for word in words)), None)


def remove_folder(root: Path, owner: str, name: str) -> None:
    """That of a removed upstream, with the folders of all its instances. No link is followed: what one leads to is not
    ours."""
    folder = root / _safe(owner, name)
    if folder.is_symlink() or not folder.is_dir():
        return
    shutil.rmtree(folder, ignore_errors=True)


def _folder(key: InstanceKey, root: Path) -> Path:
    whose = [_safe("tenant", key.tenant or "")]
    if key.session is not None:
        whose.append(_safe("session", key.session))
    return root.joinpath(_safe(key.owner or "", key.name), *whose)


def _safe(kind: str, name: str) -> str:
    """A name for a folder that no other name has, however odd it is."""
    return f"{_UNSAFE.sub('-', name)[:40]}-{sha256(f'{kind}:{name}'.encode()).hexdigest()[:12]}"
