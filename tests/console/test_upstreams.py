"""An owner adds an upstream in the page, accepts its tools, disables and removes it, and agents follow."""

import re
import shlex

from playwright.sync_api import Page, expect

from tests.console.chromium import accessibility_findings
from tests.console.console_server import ConsoleServer
from tests.gateway.hostile.entries import ROOT, hostile_json

CALM = hostile_json("calm")
PROGRAM = (
    f"import runpy, sys; sys.path.insert(0, {str(ROOT)!r}); runpy.run_module({CALM['args'][1]!r}, run_name='__main__')"
)
COMMAND = shlex.join([str(CALM["command"]), "-c", PROGRAM])
SECRET = "hunter2-and-more"


def adds(page: Page) -> None:
    page.get_by_role("button", name="Add an upstream").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name", exact=True).fill("calm")
    dialog.get_by_label("Where it is").select_option("command")
    dialog.get_by_label("Command").fill(COMMAND)
    dialog.get_by_label("Variables").fill(f"API_KEY={SECRET}")
    assert accessibility_findings(page) == []
    dialog.get_by_role("button", name="Add", exact=True).press("Enter")
    expect(page.get_by_role("heading", name="calm")).to_be_visible(timeout=20_000)


def test_an_upstream_is_added_accepted_disabled_and_removed_in_the_page(console: ConsoleServer) -> None:
    with console.opens("/gateway") as watched:
        page = watched.page
        adds(page)
        page.get_by_role("button", name="Look again").click()
        accept = page.get_by_role("button", name=re.compile(r"^Accept \d+ tools? of calm$"))
        expect(accept).to_be_visible(timeout=20_000)
        assert accessibility_findings(page) == []
        accept.click()
        page.get_by_role("dialog").get_by_role("button", name="Accept them all").click()
        expect(accept).to_have_count(0)
        assert accessibility_findings(page) == []

        expect(page.get_by_text("One for each team")).to_be_visible()
        page.get_by_role("tab", name="Tools").click()
        page.get_by_label("Find a tool").press_sequentially("no such tool")
        expect(page.get_by_text("No tool has these words")).to_be_visible()
        page.reload()
        expect(page.get_by_label("Find a tool")).to_have_value("no such tool")
        page.goto("/gateway")

        page.get_by_role("switch", name="Use calm").press("Space")
        page.get_by_role("dialog").get_by_role("button", name="Switch off").click()
        expect(page.get_by_role("switch", name="Use calm")).not_to_be_checked()
        page.get_by_role("button", name="Remove calm").press("Enter")
        page.get_by_role("dialog").get_by_role("button", name="Remove it").press("Enter")

        expect(page.get_by_role("heading", name="calm")).to_have_count(0)
        assert SECRET not in page.content()


def test_a_mistake_is_told_in_the_dialog(console: ConsoleServer) -> None:
    with console.opens("/gateway") as watched:
        page = watched.page
        page.get_by_role("button", name="Add an upstream").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Name", exact=True).fill("docs")
        dialog.get_by_label("Address").fill("ftp://docs.example")
        dialog.get_by_role("button", name="Add", exact=True).click()

        expect(dialog.get_by_text("must be an address")).to_be_visible()
        watched.forgive("400")
