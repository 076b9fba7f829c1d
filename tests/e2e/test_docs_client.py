"""The pages about listening and the Python client are true: every program on them runs and shows what it says."""

import signal

import pytest

from tests.e2e.pages import Block, PageReader, blocks_of, without_colours

LISTENING = "docs/howto/listen-to-events.md"
CLIENT = "docs/howto/python-client.md"
PACKAGE = "clients/python/README.md"


@pytest.mark.parametrize("page", [LISTENING, CLIENT, PACKAGE])
def test_the_programs_do_what_the_page_says(reader: PageReader, page: str) -> None:
    reader.saves_programs(page)

    reader.follows(page)

    reader.stops_server()


def test_the_commands_that_go_on_for_ever_show_events(reader: PageReader) -> None:
    serve, create, *_ = [block for block in blocks_of(LISTENING) if block.kind == "sh"]
    watch, curl = [block for block in blocks_of(LISTENING) if block.kind == "console"]
    reader.saves_programs(LISTENING)
    for block in (serve, create):
        reader.does(block)

    shown = until_interrupted(reader, watch, "python hear.py", "pinned note")
    printed = until_interrupted(reader, curl, "python hear.py", "note_added")

    assert "ada pinned note n1" in without_colours(shown)
    assert "event: scratchpad/note_added" in printed


def until_interrupted(reader: PageReader, forever: Block, meanwhile: str, awaited: str) -> str:
    """What the command shows, up to what is awaited, while the other one runs. It needs no curl."""
    command = reader.localised(forever.text).strip()
    command = command.replace("curl -N", "python fetch.py")
    (reader.folder / "fetch.py").write_text(
        "import sys, httpx2\n"
        "with httpx2.stream('GET', sys.argv[1]) as response:\n"
        "    for line in response.iter_lines():\n"
        "        print(line, flush=True)\n"
    )
    terminal = reader._opens_terminal(f"exec {command}")
    try:
        if command.startswith("longtable"):
            terminal.shows("Watching")
        reader.types(meanwhile)
        return terminal.shows(awaited)
    finally:
        terminal.process.send_signal(signal.SIGINT)
        terminal.process.wait(10)
