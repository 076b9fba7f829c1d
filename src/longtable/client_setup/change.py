"""What a client's file becomes: shown, written in one piece beside a backup, and taken back."""

import copy
import difflib
import os
import stat
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from longtable.client_setup.clients import Entry, McpClient
from longtable.client_setup.mistakes import MalformedFile
from longtable.kernel.errors import ConfigError

_LARGEST: Final = 10_000_000
_BACKUP: Final = ".longtable-backup"


@dataclass(frozen=True, slots=True)
class FileChange:
    """`before` and `after` are None where there is no file. `backup` is what becomes of the copy beside it."""

    path: Path
    before: bytes | None
    after: bytes | None
    makes_backup: bool = False
    uses_up_backup: bool = False

    @property
    def is_none(self) -> bool:
        return self.before == self.after

    @property
    def backup_path(self) -> Path:
        return self.path.with_name(self.path.name + _BACKUP)

    def diff(self) -> str:
        old, new = (((each or b"").decode("utf-8-sig").splitlines()) for each in (self.before, self.after))
        name = str(self.path)
        return "\n".join(difflib.unified_diff(old, new, name, name, lineterm=""))

    def write(self) -> None:
        """Raises ConfigError, with nothing changed."""
        try:
            _require_writable(self.path)
            if self.makes_backup and self.before is not None:
                _replace(self.backup_path, self.before, _mode(self.path))
            if self.after is None:
                self.path.unlink()
            else:
                _replace(self.path, self.after, _mode(self.path))
            if self.uses_up_backup:
                self.backup_path.unlink(missing_ok=True)
        except OSError as error:
            raise ConfigError(f"{self.path} cannot be written: {error.strerror}.", file=str(self.path)) from None


def connecting(client: McpClient, path: Path, entry: Entry) -> FileChange:
    """Raises ConfigError where the file cannot be changed without a doubt."""
    path = path.resolve()
    before = _read(path)
    text = _text(path, before)
    try:
        known = _entry_in(client, client.text.load(text))
        if known == entry:
            return FileChange(path, before, before)
        after = client.text.put(text, client.keys, entry)
        _verify(client, text, after, entry)
    except MalformedFile as error:
        raise _refusal(path, error) from None
    return FileChange(path, before, after.encode(), makes_backup=known is None)


def disconnecting(client: McpClient, path: Path) -> FileChange:
    """Back to what it was, byte for byte, where nothing else has changed since; else only our entry goes."""
    path = path.resolve()
    before = _read(path)
    text = _text(path, before)
    backup = _read(path.with_name(path.name + _BACKUP))
    try:
        entry = _entry_in(client, client.text.load(text))
        if entry is None:
            return FileChange(path, before, before)
        if backup is not None and client.text.put(_text(path, backup), client.keys, entry) == text:
            return FileChange(path, before, backup, uses_up_backup=True)
        if backup is None and client.text.put("", client.keys, entry) == text:
            return FileChange(path, before, None)
        after = client.text.drop(text, client.keys)
        _verify(client, text, after, None)
    except MalformedFile as error:
        raise _refusal(path, error) from None
    return FileChange(path, before, after.encode(), uses_up_backup=True)


def _entry_in(client: McpClient, data: Any) -> Entry | None:
    for key in client.keys:
        if not isinstance(data, dict):
            raise MalformedFile(f"{'.'.join(client.keys[:-1])} is no object.")
        if key not in data:
            return None
        data = data[key]
    return data if isinstance(data, dict) else {}


def _verify(client: McpClient, before: str, after: str, entry: Entry | None) -> None:
    """Whatever the way it was written, the new text must say the same as the old one but for our entry."""
    expected = copy.deepcopy(client.text.load(before))
    place = expected
    for key in client.keys[:-1]:
        if not isinstance(place.setdefault(key, {}), dict):
            place[key] = {}
        place = place[key]
    if entry is None:
        del place[client.keys[-1]]
    else:
        place[client.keys[-1]] = entry
    if _without_empty(client.text.load(after), client.keys) != _without_empty(expected, client.keys):
        raise MalformedFile("It is written in a way that is not understood.")


def _without_empty(data: Any, keys: Sequence[str]) -> Any:
    """Without what is empty on the way to our entry: an empty block of YAML is null, an empty table of TOML is
    missing."""
    data = dict(data)
    if not data.get(keys[0]):
        data.pop(keys[0], None)
    return data


def _refusal(path: Path, error: MalformedFile) -> ConfigError:
    return ConfigError(f"{path}: {error}", hint="Nothing was changed. --print shows what to paste.", file=str(path))


def _text(path: Path, data: bytes | None) -> str:
    try:
        return (data or b"").decode()
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not UTF-8 text.", hint="Nothing was changed.", file=str(path)) from None


def _read(path: Path) -> bytes | None:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.", file=str(path)) from None
    if len(data) > _LARGEST:
        raise ConfigError(f"{path} is too large for a configuration.", file=str(path))
    return data


def _require_writable(path: Path) -> None:
    if path.exists() and not path.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        raise ConfigError(f"{path} is read-only.", hint="Nothing was changed. --print shows what to paste.")


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o600


def _replace(path: Path, data: bytes, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
