"""The log of a server: what it says of cells, and what it never says."""

import json

import pytest

from tests.e2e.servers import Processes
from tests.e2e.wire import wire_to

pytestmark = pytest.mark.slow

SECRET = "a word that no log has"


async def test_cells_found_invalid_leave_a_line_without_their_content(
    processes: Processes, embedded: dict[str, str]
) -> None:
    server = processes.serve({**embedded, "log_level": "info"})
    cell = {"language": "json", "content": f'{{"a": 1,\n {SECRET}}}', "validate": True}

    async with wire_to(server.address) as wire:
        await wire.calls("scratch_create", scratch_id="p", cells=[cell, {"language": "json", "content": "{}"}])
    line = server.event("cells_invalid")

    fields = {name: line[name] for name in ("code", "tenant", "checked", "invalid", "languages")}
    assert fields == {
        "code": "VALIDATION_ERROR",
        "tenant": "default",
        "checked": 1,
        "invalid": 1,
        "languages": ["json"],
    }
    assert SECRET not in json.dumps(server.lines)
