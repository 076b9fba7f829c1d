"""The Python client as people install it: alone, small, and complete."""

import subprocess
from pathlib import Path

import pytest

from tests.clients.harness import Harness
from tests.e2e.servers import ROOT

ENVIRONMENT = ROOT / ".tools" / "python-client"
MOST_BYTES = 15_000_000

PROGRAM = """
import asyncio, sys
from longtable_client import Workspace, sync
from longtable_client.errors import NotFound

async def main(url):
    async with Workspace.open(url, agent="ada") as table:
        await table.add_note("hello")
        return (await table.read_notes()).notes[-1]

note = asyncio.run(main(sys.argv[1]))
with sync.Workspace.open(sys.argv[1], agent="bob") as table:
    try:
        table.get_memory("nothing")
    except NotFound as refused:
        print(note.author, note.content, refused.code)
print(sorted({name.partition(".")[0] for name in sys.modules} & {"longtable", "mcp", "pydantic", "starlette"}))
"""


@pytest.fixture
def packages() -> Path:
    if not (ENVIRONMENT / ".installed").exists():
        pytest.skip("the client is not installed by itself: run `make python-client`")
    return next(ENVIRONMENT.glob("lib/python3*/site-packages"))


def test_the_client_takes_up_less_than_15_megabytes_with_all_that_it_needs(packages: Path) -> None:
    installed = {path.name.partition("-")[0] for path in packages.glob("*.dist-info")}
    size = sum(path.stat().st_size for path in packages.rglob("*") if path.is_file())

    assert {"longtable_client", "httpx2"} <= installed
    assert not installed & {"longtable", "mcp", "pydantic"}
    assert size < MOST_BYTES


def test_the_client_is_typed_and_says_which_version_it_is(packages: Path) -> None:
    command = [
        str(ENVIRONMENT / "bin" / "python"),
        "-Ic",
        "import longtable_client; print(longtable_client.__version__)",
    ]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.strip()

    assert (packages / "longtable_client" / "py.typed").exists()
    assert (packages / f"longtable_client-{printed}.dist-info").is_dir()


def test_a_program_needs_nothing_but_the_client(packages: Path, harness: Harness) -> None:
    command = [str(ENVIRONMENT / "bin" / "python"), "-Ic", PROGRAM, harness.address]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    assert ended.stdout.splitlines() == ["ada hello NOT_FOUND", "[]"], ended.stderr
