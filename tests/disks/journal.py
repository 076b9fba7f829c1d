"""What was written to a disk and what was synced, in one journal of all processes, and the disk as a power cut at any
moment of it may leave it: everything that was synced, and of the rest anything."""

import os
import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.disks.watched_disk import SQLITE_OK, WatchedDisk

JOURNAL: Final = "TEST_DISK_JOURNAL"
FOLDER: Final = "TEST_DISK_FOLDER"
IGNORES_SYNCS: Final = "TEST_DISK_IGNORES_SYNCS"
"""Set for a disk that says it has synced and has not."""

_HEAD: Final = struct.Struct("<cHqI")
_SECTOR: Final = 512


class Journal:
    """Writes it. Each record is one `write`, so those of several processes do not mix."""

    def __init__(self, path: str, *, ignores_syncs: bool) -> None:
        self._ignores_syncs = ignores_syncs
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def write(self, name: str, data: bytes, offset: int) -> int:
        return self._add(b"W", name, offset, data)

    def truncate(self, name: str, size: int) -> int:
        return self._add(b"T", name, size)

    def sync(self, name: str) -> int:
        return SQLITE_OK

    def delete(self, name: str) -> int:
        return self._add(b"D", name, 0)

    def synced(self, name: str) -> None:
        """A record of what came back from the disk, not of what was asked of it."""
        if not self._ignores_syncs:
            self._add(b"S", name, 0)

    def _add(self, kind: bytes, name: str, number: int, data: bytes = b"") -> int:
        named = name.encode()
        os.write(self._file, _HEAD.pack(kind, len(named), number, len(data)) + named + data)
        return SQLITE_OK


def watch_from_start() -> None:
    """In a process whose environment names a journal."""
    if path := os.environ.get(JOURNAL):
        journal = Journal(path, ignores_syncs=IGNORES_SYNCS in os.environ)
        WatchedDisk(Path(os.environ[FOLDER]), journal).install()


@dataclass(frozen=True)
class DiskChange:
    kind: str
    name: str
    number: int
    data: bytes

    def change(self, file: bytearray) -> None:
        if self.kind == "T":
            del file[self.number :]
            return
        if len(file) < self.number:
            file.extend(bytes(self.number - len(file)))
        file[self.number : self.number + len(self.data)] = self.data

    def torn(self, chance: random.Random) -> "DiskChange":
        """Only some of its first sectors, as when the power goes in the middle of it."""
        sectors = len(self.data) // _SECTOR
        return DiskChange(self.kind, self.name, self.number, self.data[: chance.randint(0, sectors) * _SECTOR])


def records(journal: Path, until: int) -> Iterator[DiskChange]:
    """Those that were whole when the journal had this length."""
    with journal.open("rb") as file:
        while len(head := file.read(_HEAD.size)) == _HEAD.size:
            kind, name_length, number, length = _HEAD.unpack(head)
            if file.tell() + name_length + length > until:
                return
            yield DiskChange(kind.decode(), file.read(name_length).decode(), number, file.read(length))


@dataclass
class JournaledDisk:
    """Files as they are for sure, and for each the changes that may be lost."""

    files: dict[str, bytearray] = field(default_factory=dict)
    unsynced: dict[str, list[DiskChange]] = field(default_factory=dict)

    @classmethod
    def at(cls, journal: Path, until: int) -> "JournaledDisk":
        disk = cls()
        for record in records(journal, until):
            if record.kind == "S":
                disk._keep(record.name, disk.unsynced.pop(record.name, []))
            elif record.kind == "D":
                disk.unsynced.pop(record.name, None)
                disk.files.pop(record.name, None)
            else:
                disk.unsynced.setdefault(record.name, []).append(record)
        return disk

    def lose_power(self, chance: random.Random) -> None:
        """Of what was not synced, each change is lost, half done or done, whatever came before it."""
        for name, changes in self.unsynced.items():
            survivors = (change for change in changes if chance.random() < 0.5)
            self._keep(name, [change.torn(chance) if chance.random() < 0.2 else change for change in survivors])
        self.unsynced.clear()

    def save(self, folder: Path) -> None:
        for name, content in self.files.items():
            (folder / name).write_bytes(content)

    def _keep(self, name: str, changes: list[DiskChange]) -> None:
        file = self.files.setdefault(name, bytearray())
        for change in changes:
            change.change(file)
