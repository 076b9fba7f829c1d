"""How processes take turns at one embedded store."""

import errno
import fcntl
import queue
import threading
from pathlib import Path
from typing import Any

import pytest

from longtable.kernel.errors import StoreUnavailable
from longtable.storage.file_lock import FileLock


def test_who_waits_too_long_is_told_and_gets_in_later(tmp_path: Path) -> None:
    one, two = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")

    with one.held(1), pytest.raises(StoreUnavailable, match="busy"), two.held(0.01):
        pytest.fail("two got in while one was inside")

    with two.held(5), pytest.raises(StoreUnavailable, match="busy"), one.held(0.01):
        pytest.fail("one got in while two was inside")


def test_who_gave_up_does_not_stand_in_the_way_of_others(tmp_path: Path) -> None:
    one, two, three = (FileLock(tmp_path / "lock") for _ in range(3))
    with one.held(1), pytest.raises(StoreUnavailable), two.held(0.01):
        pytest.fail("two got in while one was inside")

    for file_lock in (three, one, three):
        with file_lock.held(5):
            pass


def test_who_left_does_not_come_back_by_itself(tmp_path: Path) -> None:
    one, two = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")

    for _ in range(3):
        with one.held(1):
            pass
        with two.held(1):
            pass

    one.close()
    two.close()


def test_who_has_waited_leaves_no_thread_behind(tmp_path: Path) -> None:
    threads_before = set(threading.enumerate())
    one, two = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    with one.held(1), pytest.raises(StoreUnavailable), two.held(0.01):
        pytest.fail("two got in while one was inside")
    with two.held(5):
        (waiting,) = set(threading.enumerate()) - threads_before

    two.close()
    waiting.join(5)

    assert not waiting.is_alive()
    one.close()


def test_a_folder_without_locks_can_be_used_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(_: int, __: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    file_lock = FileLock(tmp_path / "lock")
    monkeypatch.setattr(fcntl, "flock", refuses)
    entered = 0

    for _ in range(2):
        with file_lock.held(1):
            entered += 1

    assert entered == 2
    file_lock.close()


def test_who_is_let_in_as_the_time_is_over_is_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    is_inside, waits = threading.Event(), threading.Event()

    class TimesOutWhenFilled(queue.SimpleQueue[Any]):
        def get(self, block: bool = True, timeout: float | None = None) -> Any:
            if timeout is None:
                return super().get(block)
            waits.set()
            self.put(super().get())
            raise queue.Empty

    def stays_until_another_waits() -> None:
        with one.held(5):
            is_inside.set()
            waits.wait(5)

    one = FileLock(tmp_path / "lock")
    holder = threading.Thread(target=stays_until_another_waits)
    holder.start()
    is_inside.wait(5)
    with monkeypatch.context() as patched:
        patched.setattr(queue, "SimpleQueue", TimesOutWhenFilled)
        two = FileLock(tmp_path / "lock")
    three = FileLock(tmp_path / "lock")

    with two.held(0.01), pytest.raises(StoreUnavailable), three.held(0.01):
        pytest.fail("three got in while two was inside")

    holder.join(5)
    with one.held(5):
        pass
