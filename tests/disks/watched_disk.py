"""Every change of a file of SQLite, seen before it happens: a VFS of SQLite that is the system's own but for writing,
shortening, syncing and deleting. What watches it may also refuse a change, as a disk that is full or broken does."""

import ctypes
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_void_p, cast
from pathlib import Path
from typing import Any, Final, Protocol

SQLITE_OK: Final = 0
SQLITE_IOERR: Final = 10
SQLITE_FULL: Final = 13
SQLITE_IOERR_WRITE: Final = SQLITE_IOERR | 3 << 8
SQLITE_IOERR_FSYNC: Final = SQLITE_IOERR | 4 << 8
SQLITE_IOERR_TRUNCATE: Final = SQLITE_IOERR | 6 << 8
SQLITE_READONLY: Final = 8
SWALLOWED: Final = -1
"""The change is not made, and SQLite is told that it was."""


class DiskWatcher(Protocol):
    """Each but the last answers SQLITE_OK, or the error that SQLite gets instead of the change; of a write also
    SWALLOWED."""

    def write(self, name: str, data: bytes, offset: int) -> int: ...

    def truncate(self, name: str, size: int) -> int: ...

    def sync(self, name: str) -> int: ...

    def delete(self, name: str) -> int: ...

    def synced(self, name: str) -> None: ...


# A path is a pointer here: SQLite keeps it, and what follows its text.
_Open = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, POINTER(c_int))
_Write = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
_Truncate = CFUNCTYPE(c_int, c_void_p, c_int64)
_Sync = CFUNCTYPE(c_int, c_void_p, c_int)
_Delete = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int)


class _Methods(ctypes.Structure):
    """sqlite3_io_methods, version 3."""

    _fields_ = [
        ("version", c_int),
        ("close", c_void_p),
        ("read", c_void_p),
        ("write", c_void_p),
        ("truncate", c_void_p),
        ("sync", c_void_p),
        ("others", c_void_p * 13),
    ]


class _Vfs(ctypes.Structure):
    """sqlite3_vfs, version 3."""

    _fields_ = [
        ("version", c_int),
        ("file_size", c_int),
        ("longest_path", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", c_void_p),
        ("delete", c_void_p),
        ("others", c_void_p * 14),
    ]


def _library() -> Any:
    """The SQLite that Python's own module has loaded."""
    import sqlite3  # noqa: F401 - loads it, in a process that may not have needed it yet

    mapped = re.search(r"\S*libsqlite3\S*\.so\S*", Path("/proc/self/maps").read_text())
    assert mapped, "Python's SQLite is not a shared library here"
    library = ctypes.CDLL(mapped[0])
    library.sqlite3_vfs_find.restype = POINTER(_Vfs)
    library.sqlite3_vfs_find.argtypes = [c_char_p]
    library.sqlite3_vfs_register.argtypes = [POINTER(_Vfs), c_int]
    library.sqlite3_vfs_unregister.argtypes = [POINTER(_Vfs)]
    return library


class WatchedDisk:
    """The files of one folder. It is the default of the process after `install`, for files that are opened then."""

    def __init__(self, folder: Path, watcher: DiskWatcher) -> None:
        self._folder = folder
        self._watcher = watcher
        self._library = _library()
        self._system = self._library.sqlite3_vfs_find(None)
        self._names: dict[int, str] = {}
        self._methods: dict[int, _Methods] = {}
        self._kept: list[Any] = []
        self._vfs = _Vfs.from_buffer_copy(self._system.contents)
        self._vfs.name = b"watched"
        self._open = _Open(self._system.contents.open)
        self._delete = _Delete(self._system.contents.delete)
        self._vfs.open = self._pointer(_Open(self._opened))
        self._vfs.delete = self._pointer(_Delete(self._deleted))

    def install(self) -> None:
        _INSTALLED.append(self)
        assert self._library.sqlite3_vfs_register(ctypes.byref(self._vfs), 1) == SQLITE_OK

    def remove(self) -> None:
        assert self._library.sqlite3_vfs_unregister(ctypes.byref(self._vfs)) == SQLITE_OK
        assert self._library.sqlite3_vfs_register(self._system, 1) == SQLITE_OK

    def _opened(self, _vfs: int, path: int | None, file: int, flags: int, out: Any) -> int:
        result = self._open(cast(self._system, c_void_p), path, file, flags, out)
        table = c_void_p.from_address(file)
        name = self._name(path)
        if result == SQLITE_OK and name and table.value:
            self._names[file] = name
            table.value = ctypes.addressof(self._watched(table.value))
        return int(result)

    def _deleted(self, _vfs: int, path: int, sync: int) -> int:
        name = self._name(path)
        refused = self._watcher.delete(name) if name else SQLITE_OK
        return refused or int(self._delete(cast(self._system, c_void_p), path, sync))

    def _name(self, path: int | None) -> str | None:
        """Of a file that is watched."""
        found = Path(ctypes.string_at(path).decode()) if path else None
        return found.name if found and found.parent == self._folder else None

    def _watched(self, address: int) -> _Methods:
        if address not in self._methods:
            system = _Methods.from_address(address)
            methods = self._methods[address] = _Methods.from_buffer_copy(system)
            methods.write = self._pointer(_Write(self._write(_Write(system.write))))
            methods.truncate = self._pointer(_Truncate(self._truncate(_Truncate(system.truncate))))
            methods.sync = self._pointer(_Sync(self._sync(_Sync(system.sync))))
        return self._methods[address]

    def _write(self, system: Any) -> Callable[[int, int, int, int], int]:
        def write(file: int, data: int, length: int, offset: int) -> int:
            refused = self._watcher.write(self._names[file], ctypes.string_at(data, length), offset)
            return max(refused, SQLITE_OK) if refused else int(system(file, data, length, offset))

        return write

    def _truncate(self, system: Any) -> Callable[[int, int], int]:
        def truncate(file: int, size: int) -> int:
            return self._watcher.truncate(self._names[file], size) or int(system(file, size))

        return truncate

    def _sync(self, system: Any) -> Callable[[int, int], int]:
        def sync(file: int, flags: int) -> int:
            result = self._watcher.sync(self._names[file]) or int(system(file, flags))
            if result == SQLITE_OK:
                self._watcher.synced(self._names[file])
            return result

        return sync

    def _pointer(self, function: Any) -> int | None:
        """Where C finds it, for as long as this object lives."""
        self._kept.append(function)
        return cast(function, c_void_p).value


_INSTALLED: list[WatchedDisk] = []
"""Kept for good: a file that is still open calls the functions of its disk."""


@contextmanager
def watched(folder: Path, watcher: DiskWatcher) -> Iterator[None]:
    """In this process, for files that are opened from now on."""
    disk = WatchedDisk(folder, watcher)
    disk.install()
    try:
        yield
    finally:
        disk.remove()
