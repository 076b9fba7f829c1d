"""Progress, log messages and cancellation between other servers and the clients of agents."""

from pathlib import Path

import anyio
import pytest

from tests.gateway.protocol.conftest import Person, client_of, says, until_noted
from tests.table import Table


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
async def test_log_messages_of_a_call_reach_its_client(table: Table, mode: str) -> None:
    person = Person()
    async with client_of(table, mode, logging_callback=person.log, log_level="debug") as client:
        if mode == "legacy":
            await client.session.set_logging_level("debug")
        await says(client, "get_told", progress_callback=person.note_progress)

    assert person.logged == [("debug", "library/shelf", "debug!"), ("warning", "library/shelf", "warning!")]
    assert person.progress == [1.0]


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
async def test_a_client_gets_the_levels_that_it_wants(table: Table, mode: str) -> None:
    person = Person()
    async with client_of(table, mode, logging_callback=person.log, log_level="warning") as client:
        if mode == "legacy":
            await client.session.set_logging_level("warning")
        await says(client, "get_told")

    assert [level for level, _, _ in person.logged] == ["warning"]


async def test_a_client_that_asks_for_no_log_gets_none(table: Table, mode: str) -> None:
    person = Person()
    async with client_of(table, mode, logging_callback=person.log) as client:
        await says(client, "get_told", progress_callback=person.note_progress)

    assert (person.logged, person.progress) == ([], [1.0])


async def test_a_cancelled_call_is_cancelled_at_the_server(table: Table, journal: Path, mode: str) -> None:
    async with client_of(table, mode) as client:
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(says, client, "get_slow")
                await until_noted(journal, "slow")
                scope.cancel()

        await until_noted(journal, "cancelled")
        # The client has heard the end of it by then, and can be closed.
        await client.list_prompts()
