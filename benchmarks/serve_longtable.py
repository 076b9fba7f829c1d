"""Our own server with two more tools that do nothing: the floors of what any tool of it can cost."""

import json
import logging
import sys
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

from longtable.identity.model import EVERYONE
from longtable.kernel.call import Call
from longtable.kernel.result import Fetched, Result
from longtable.server.http import HttpApp
from longtable.server.serve import run
from longtable.settings.options import Settings
from longtable.toolkit.tool import Arguments, Tool

MANY = 1_000_000_000


class Nothing(Result):
    """An answer without a field."""


async def do_nothing(call: Call, arguments: Arguments) -> Nothing:
    return Nothing()


class Like(Arguments):
    tool: str


class Remembering:
    """Keeps the last result of every tool, to answer it again without any work. It is copied when it is first wanted
    again: the tool that is measured must not pay for that."""

    def __init__(self) -> None:
        self._last: dict[str, Result] = {}
        self._copied: dict[str, tuple[Result, Result]] = {}

    def watched(self, tool: Tool[Any]) -> Tool[Any]:
        async def run(call: Call, arguments: Any) -> Result:
            result = self._last[tool.name] = await tool.run(call, arguments)
            return result

        return replace(tool, run=run)

    async def repeat(self, call: Call, arguments: Like) -> Result:
        last, name = self._last[arguments.tool], arguments.tool
        if name not in self._copied or self._copied[name][0] is not last:
            again = copy(last)
            # Without the inbox hints: these calls read nothing new.
            again.fetches(Fetched())
            self._copied[name] = last, again
        return self._copied[name][1]


NO_OP = Tool(
    name="no_op",
    title="Nothing",
    description="Does nothing.",
    arguments=Arguments,
    result=Nothing,
    run=do_nothing,
    group="workspace",
    roles=EVERYONE,
    audited_as="nothing_done",
)


def like(remembering: Remembering) -> Tool[Any]:
    return Tool(
        name="no_op_like",
        title="The same again",
        description="Answers what another tool answered last, without doing anything.",
        arguments=Like,
        result=Result,
        run=remembering.repeat,
        group="workspace",
        roles=EVERYONE,
        audited_as="nothing_done",
    )


async def announce(http: HttpApp, address: str) -> None:
    remembering, dispatcher = Remembering(), http.app.dispatcher
    tools = [*map(remembering.watched, dispatcher.tools.values()), NO_OP, like(remembering)]
    dispatcher.tools = {tool.name: tool for tool in tools}
    print(address, flush=True)


async def announce_without_cache(http: HttpApp, address: str) -> None:
    """Every page is read from the store, as if something had changed since it was read last."""
    dispatcher, pages = http.app.dispatcher, http.app.ledger.pages

    def without_cache(tool: Tool[Any]) -> Tool[Any]:
        async def run(call: Call, arguments: Any) -> Result:
            pages.clear()
            return await tool.run(call, arguments)

        return replace(tool, run=run)

    dispatcher.tools = {tool.name: without_cache(tool) for tool in dispatcher.tools.values()}
    await announce(http, address)


def settings_for(data_dir: Path, embeds: bool = True) -> Settings:
    return Settings(
        data_dir=data_dir,
        http_port=0,
        max_notes=MANY,
        max_messages=MANY,
        max_tasks=MANY,
        max_connections=MANY,
        max_scratchpads=0,
        max_cells_per_pad=0,
        log_level="warning",
        enable_semantic_search=embeds,
    )


def main() -> None:
    """The folder of the store, and as JSON which settings are to be others, and whether pages are kept in memory."""
    logging.disable(logging.INFO)
    others: dict[str, Any] = json.loads(sys.argv[2]) if len(sys.argv) > 2 else {}
    keeps_pages = others.pop("keeps_pages", True)
    settings = replace(settings_for(Path(sys.argv[1])), **others)
    run(settings, announce if keeps_pages else announce_without_cache)


if __name__ == "__main__":
    main()
