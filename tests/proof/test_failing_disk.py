"""A disk that breaks under a running server: its syncs fail, or it is suddenly read-only. What was acknowledged is
there afterwards, and what was said not to be stored is not."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.servers import Processes
from tests.e2e.test_full_disk import HONEST, notes_after_restart, until_ready

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]

TRIES = 15
TEXT = "x" * 60_000


@dataclass
class Disk:
    """A file system in a file that seems larger than it can become, as it lies on a small one. When that is full,
    writes still seem to work, and syncs fail."""

    lower: Path
    upper: Path

    @property
    def image(self) -> Path:
        return self.lower / "image"

    @property
    def filling(self) -> Path:
        return self.lower / "filling"

    def make(self) -> None:
        self.lower.mkdir()
        self.upper.mkdir()
        run("mount", "-t", "tmpfs", "-o", "size=96m", "tmpfs", self.lower)
        run("truncate", "--size", "512M", self.image)
        run("mkfs.ext4", "-q", "-F", "-m", "0", "-J", "size=8", self.image)
        self.mount()

    def mount(self) -> None:
        run("mount", "-o", "loop,errors=remount-ro", self.image, self.upper)

    def fail_to_sync(self) -> None:
        fill_up(self.filling)

    def turn_read_only(self) -> None:
        """As the system does when it finds an error; files that are open do not keep it from that."""
        run("mount", "-o", "remount,abort", self.upper)

    def repair(self) -> None:
        run("umount", self.upper)
        self.filling.unlink(missing_ok=True)
        subprocess.run(["e2fsck", "-f", "-y", self.image], check=False, capture_output=True)
        self.mount()

    def remove(self) -> None:
        for mounted in (self.upper, self.lower):
            subprocess.run(["umount", "--lazy", mounted], check=False, capture_output=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    disk = Disk(tmp_path / "lower", tmp_path / "upper")
    try:
        disk.make()
        yield disk
    finally:
        disk.remove()


@pytest.mark.parametrize("fault", [Disk.fail_to_sync, Disk.turn_read_only])
async def test_a_disk_that_breaks_costs_nothing_that_was_acknowledged(
    processes: Processes, disk: Disk, fault: Callable[[Disk], None]
) -> None:
    options = {"data_dir": str(disk.upper / "data"), "enable_semantic_search": "false"}
    ann = processes.serve(options).agent("ann")
    answers = [await ann.tries("add_note", content=f"{n} {TEXT}") for n in range(TRIES)]

    fault(disk)
    answers += [await ann.tries("add_note", content=f"{n} {TEXT}") for n in range(TRIES, 2 * TRIES)]
    await until_ready(ann, 503)
    await ann.client.aclose()
    processes.started[0].kill()
    disk.repair()
    found = {int(note["content"].split()[0]) for note in await notes_after_restart(processes, options)}
    processes.started[-1].kill()

    said = {n: "ok" if body["ok"] else body["error"]["code"] for n, body in enumerate(answers)}
    assert {said[n] for n in range(TRIES)} == {"ok"}
    assert {*said.values()} <= {"ok", *HONEST}
    assert {n for n, code in said.items() if code == "ok"} <= found
    assert {n for n, code in said.items() if code == "STORE_UNAVAILABLE"} & found == set()


async def test_a_disk_that_is_full_is_told_of_until_there_is_room_again(processes: Processes, disk: Disk) -> None:
    options = {"data_dir": str(disk.lower / "data"), "enable_semantic_search": "false"}
    ann = processes.serve(options).agent("ann")
    await ann.adds_note("before")
    fill_up(disk.filling)

    answers = [await ann.tries("add_note", content=TEXT) for _ in range(3)]
    await until_ready(ann, 503)
    disk.filling.unlink()
    await until_ready(ann, 200)
    await ann.adds_note("after")
    await ann.client.aclose()
    notes = await notes_after_restart(processes, options)
    processes.started[-1].kill()

    assert {body["error"]["code"] for body in answers} == {"STORE_UNAVAILABLE"}
    assert [note["content"] for note in notes] == ["before", "after"]


def run(*words: str | Path) -> None:
    subprocess.run([*map(str, words)], check=True, capture_output=True)


def fill_up(filling: Path) -> None:
    with suppress(OSError), filling.open("wb", buffering=0) as much:
        while much.write(b"x" * 65_536):
            pass
