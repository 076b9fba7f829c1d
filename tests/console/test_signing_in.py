"""Who may look: by a link that works once, by a person's token, and not one moment longer than the login counts."""

from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.chromium import window
from tests.console.console_server import QUIET, ConsoleServer, link_to, need_built_page
from tests.e2e.program import Program
from tests.e2e.servers import Processes, Server


@pytest.fixture
def guarded(processes: Processes, tmp_path: Path) -> tuple[Server, Program]:
    """A server that asks for tokens, and the command line of its owner."""
    need_built_page()
    server = processes.serve({"data_dir": str(tmp_path), "auth": "tokens", **QUIET})
    return server, Program(tmp_path)


def token(program: Program, role: str) -> tuple[str, str]:
    made = program.does("token", "create", "--tenant", "default", "--role", role, "--name", f"the-{role}")
    return made["token_id"], made["secret"]


def sign_in(page: Page, secret: str) -> None:
    page.goto("/")
    give(page, secret)


def give(page: Page, secret: str) -> None:
    page.get_by_label("Token of the role human or owner").fill(secret)
    page.get_by_role("button", name="Sign in").click()


def test_the_one_time_link_opens_the_console_once(browser: Browser, processes: Processes, tmp_path: Path) -> None:
    need_built_page()
    server = processes.serve({"data_dir": str(tmp_path), **QUIET})
    link = link_to(server, tmp_path)

    with window(browser, server.address) as first:
        first.page.goto(link)
        expect(first.page.get_by_role("heading", name="Now", level=1)).to_be_visible()
        assert "link=" not in first.page.url
        assert first.problems == []
    with window(browser, server.address) as second:
        second.page.goto(link)
        expect(second.page.get_by_role("heading", name="Sign in")).to_be_visible()
        expect(second.page.get_by_role("alert")).to_have_text("This link was used before, or it is too old.")


def test_signing_in_leads_to_the_page_that_was_asked_for(
    browser: Browser, processes: Processes, tmp_path: Path, guarded: tuple[Server, Program]
) -> None:
    open_to_all = processes.serve({"data_dir": str(tmp_path / "open"), **QUIET})
    _, human = token(guarded[1], "human")

    with window(browser, open_to_all.address) as seen:
        seen.page.goto("/sessions?status=closed")
        expect(seen.page.get_by_role("heading", name="Sign in")).to_be_visible()
        seen.page.goto(link_to(open_to_all, tmp_path / "open"))
        expect(seen.page).to_have_url(f"{open_to_all.address}/sessions?status=closed")
        expect(seen.page.get_by_role("heading", name="Sessions", level=1)).to_be_visible()
    with window(browser, guarded[0].address) as seen:
        seen.page.goto("/inbox")
        give(seen.page, human)
        expect(seen.page).to_have_url(f"{guarded[0].address}/inbox")
        expect(seen.page.get_by_role("heading", name="Inbox", level=1)).to_be_visible()


def test_without_a_login_nothing_but_the_sign_in_page_is_shown(console: ConsoleServer) -> None:
    with window(console.browser, console.address) as stranger:
        stranger.page.goto("/")
        expect(stranger.page.get_by_role("heading", name="Sign in")).to_be_visible()
        answer = stranger.context.request.get("/me")

        assert (answer.status, answer.json()["error"]["code"]) == (401, "UNAUTHORIZED")


def test_a_person_signs_in_with_a_token_and_sees_what_the_role_may(
    browser: Browser, guarded: tuple[Server, Program]
) -> None:
    server, program = guarded
    _, human = token(program, "human")

    with window(browser, server.address) as seen:
        sign_in(seen.page, human)
        expect(seen.page.get_by_role("heading", name="Now", level=1)).to_be_visible()
        expect(seen.page.get_by_text("the-human")).to_be_visible()
        seen.page.goto("/#/audit")
        expect(seen.page.get_by_role("heading", name="Audit", level=1)).to_be_visible()
        expect(seen.page.get_by_role("button", name="Verify")).to_have_count(0)


def test_a_mistyped_token_is_refused_in_words_for_a_person(browser: Browser, guarded: tuple[Server, Program]) -> None:
    server, _ = guarded

    with window(browser, server.address) as seen:
        sign_in(seen.page, "lt_mistyped")
        expect(seen.page.get_by_role("alert")).to_contain_text("it is mistyped, was revoked or has expired")
        expect(seen.page.get_by_label("Token of the role human or owner")).to_be_visible()


def test_a_token_of_an_agent_does_not_sign_anybody_in(browser: Browser, guarded: tuple[Server, Program]) -> None:
    server, program = guarded
    words = ("token", "create", "--tenant", "default", "--role", "agent", "--agent", "eve", "--session", "some-session")
    secret = program.does(*words)["secret"]

    with window(browser, server.address) as seen:
        sign_in(seen.page, secret)
        expect(seen.page.get_by_role("alert")).to_be_visible()
        expect(seen.page.get_by_role("heading", name="Sign in")).to_be_visible()


def leaves_for(page: Page, path: str) -> None:
    """By the menu, unless the page has noticed by itself that the login is over, and has none any more."""
    page.evaluate("(path) => document.querySelector(`nav a[href='${path}']`)?.click()", path)


def test_when_the_token_is_revoked_the_page_shows_nothing_of_the_team_any_more(
    browser: Browser, guarded: tuple[Server, Program]
) -> None:
    server, program = guarded
    token_id, secret = token(program, "owner")
    headers = {"Authorization": f"Bearer {secret}"}
    made = httpx2.post(f"{server.address}/sessions", json={"purpose": "Keep this among us"}, headers=headers)
    assert made.status_code == 201, made.text

    with window(browser, server.address) as seen:
        sign_in(seen.page, secret)
        expect(seen.page.get_by_role("heading", name="Now", level=1)).to_be_visible()
        seen.page.goto("/#/sessions")
        expect(seen.page.get_by_text("Keep this among us").first).to_be_visible()
        program.does("token", "revoke", token_id)
        leaves_for(seen.page, "/connect")

        expect(seen.page.get_by_role("heading", name="You are signed out")).to_be_visible(timeout=60_000)
        expect(seen.page.get_by_text("Keep this among us")).to_have_count(0)


def test_signing_out_ends_the_login_in_every_tab(browser: Browser, processes: Processes, tmp_path: Path) -> None:
    need_built_page()
    server = processes.serve({"data_dir": str(tmp_path), **QUIET})

    with window(browser, server.address) as seen:
        seen.page.goto(link_to(server, tmp_path))
        expect(seen.page.get_by_role("heading", name="Now", level=1)).to_be_visible()
        other = seen.context.new_page()
        other.goto("/#/sessions")
        expect(other.get_by_role("heading", name="Sessions", level=1)).to_be_visible()

        seen.page.get_by_role("button", name="Sign out").click()

        expect(seen.page.get_by_role("heading", name="Sign in")).to_be_visible()
        other.reload()
        expect(other.get_by_role("heading", name="Sign in")).to_be_visible()


def test_whoever_signs_in_arrives_where_the_address_leads(browser: Browser, guarded: tuple[Server, Program]) -> None:
    server, program = guarded
    _, human = token(program, "human")

    with window(browser, server.address) as seen:
        seen.page.goto("/connect?client=cursor")
        give(seen.page, "lt_mistyped")
        expect(seen.page.get_by_role("alert")).to_be_visible()
        give(seen.page, human)
        expect(seen.page.get_by_role("heading", name="Connect", level=1)).to_be_visible()

        assert seen.page.url == f"{server.address}/connect?client=cursor"

        seen.context.clear_cookies()
        leaves_for(seen.page, "/sessions")
        expect(seen.page.get_by_role("heading", name="You are signed out")).to_be_visible()
        seen.page.get_by_role("button", name="Sign in").click()
        give(seen.page, human)

        expect(seen.page.get_by_role("heading", name="Sessions", level=1)).to_be_visible()
