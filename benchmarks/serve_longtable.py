"""Our own server with two more tools that do nothing: the floor of what any tool of it can cost."""

import logging
import sys
from pathlib import Path

from longtable.identity.model import EVERYONE
from longtable.kernel.call import Call
from longtable.kernel.result import Result
from longtable.notes.model import NotePage, NoteView
from longtable.server.http import HttpApp
from longtable.server.serve import run
from longtable.settings.options import Settings
from longtable.toolkit.tool import Arguments, Tool

MANY = 1_000_000_000


class Nothing(Result):
    """An answer without a field."""


async def do_nothing(call: Call, arguments: Arguments) -> Nothing:
    return Nothing()


def page_of_notes() -> NotePage:
    notes = [
        NoteView(
            id=f"n{number}",
            content="A note as long as those that the benchmark writes. " * 4,
            tags=["importer", "speed"],
            author="benchmark",
            source=None,
            timestamp="2026-01-01T00:00:00.000000Z",
        )
        for number in range(50)
    ]
    return NotePage(notes=notes, count=len(notes), total=len(notes), next_cursor=None)


_PAGE_OF_NOTES = page_of_notes()


async def answer_page(call: Call, arguments: Arguments) -> NotePage:
    return _PAGE_OF_NOTES


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


PAGE = Tool(
    name="no_op_page",
    title="Fifty notes out of nowhere",
    description="Answers what read_notes answers, without reading anything.",
    arguments=Arguments,
    result=NotePage,
    run=answer_page,
    group="workspace",
    roles=EVERYONE,
    audited_as="nothing_done",
)


async def announce(http: HttpApp, address: str) -> None:
    http.app.dispatcher.tools |= {tool.name: tool for tool in (NO_OP, PAGE)}
    print(address, flush=True)


def settings_for(data_dir: Path) -> Settings:
    return Settings(data_dir=data_dir, http_port=0, max_notes=MANY, log_level="warning")


def main() -> None:
    logging.disable(logging.INFO)
    run(settings_for(Path(sys.argv[1])), announce)


if __name__ == "__main__":
    main()
