"""A server that is killed between the write of a text and its indexing: the text is found all the same."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.servers import Processes, until
from tests.table import Agent

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

COUNT = 4
"""Few: they are indexed a tenth of a second later."""
LIMIT = 60.0


def waiting_in(folder: str) -> int:
    """How many texts are yet to be indexed, as the file of a dead or living server tells."""
    with closing(sqlite3.connect(Path(folder) / "longtable.db")) as store:
        [[count]] = store.execute("SELECT COUNT(*) FROM waiting_texts")
        return int(count)


async def killed_before_indexing(processes: Processes, options: dict[str, str]) -> list[str]:
    """The words of notes that were acknowledged by a server that died before they were indexed, one in each note."""
    words: list[str] = []
    for attempt in range(20):
        server = processes.serve(options)
        agent = server.agent("alice")
        await agent.calls("read_notes")
        new = [f"word{attempt:02}n{number}end" for number in range(COUNT)]
        await asyncio.gather(*(agent.adds_note(f"about {word}") for word in new))
        server.kill_all()
        await server.ends()
        await agent.client.aclose()
        words += new
        if waiting_in(options["data_dir"]) > 0:
            return words
    raise AssertionError("they were indexed before every kill")


async def found(agent: Agent, words: list[str]) -> list[str]:
    pages = [await agent.calls("read_notes", query=word, mode="keyword") for word in words]
    return [word for word, page in zip(words, pages, strict=True) if len(page["notes"]) == 1]


async def test_a_search_finds_what_was_acknowledged_before_the_kill(
    processes: Processes, embedded: dict[str, str]
) -> None:
    options = {**embedded, "enable_semantic_search": "false"}
    words = await killed_before_indexing(processes, options)

    agent = processes.serve(options).agent("alice")

    assert await found(agent, words) == words
    await agent.client.aclose()


async def test_what_waits_is_indexed_after_a_restart_without_a_search(
    processes: Processes, embedded: dict[str, str]
) -> None:
    options = {**embedded, "enable_semantic_search": "false"}
    words = await killed_before_indexing(processes, options)

    server = processes.serve(options)
    await until(lambda: waiting_in(options["data_dir"]) == 0, LIMIT)
    server.kill_all()
    await server.ends()

    agent = processes.serve(options).agent("alice")
    assert await found(agent, words) == words
    await agent.client.aclose()
