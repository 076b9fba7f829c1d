"""An owner has people called from the page, somebody lets the desktop call them, and the page can be installed."""

import httpx2
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.chromium import PHONE, accessibility_findings
from tests.console.console_server import ConsoleServer
from tests.receivers import http_receiver

_RECORDED = """
window.shownNotices = [];
window.Notification = class extends window.Notification {
  constructor(title, options) {
    super(title, options);
    window.shownNotices.push(this);
  }
};
"""
"""No window server here shows what a desktop would: what is handed to it is written down as well."""


@pytest.fixture(scope="module")
def browser(whole_browser: Browser) -> Browser:
    return whole_browser


def add_hook(page: Page, name: str, address: str) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Address", exact=True).fill(address)
    page.get_by_label("Allow an address of this machine").check()
    page.get_by_label("A failed task").uncheck()
    page.get_by_role("button", name="Add the notifier").click()


def test_an_owner_adds_a_webhook_tests_it_reads_what_it_sent_and_removes_it(console: ConsoleServer) -> None:
    with http_receiver() as receiver, console.opens("/notifiers") as watched:
        page = watched.page
        add_hook(page, "hook", f"{receiver.address}/here")
        expect(page.get_by_text("is shown only now")).to_be_visible()
        assert page.locator("code", has_text="whsec_").inner_text().startswith("whsec_")
        page.get_by_role("button", name="I have copied it").click()
        expect(page.locator("code", has_text="whsec_")).to_have_count(0)
        assert accessibility_findings(page) == []

        page.get_by_role("button", name="Test hook").click()
        expect(page.get_by_text("The test was delivered.")).to_be_visible()
        page.get_by_role("button", name="Last deliveries of hook").click()
        expect(page.get_by_role("list", name="Deliveries of hook").get_by_role("listitem")).to_have_count(1)
        assert [request.path for request in receiver.requests] == ["/here"]
        page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert accessibility_findings(page) == []

        page.get_by_role("button", name="Remove hook").click()
        page.get_by_role("button", name="Remove the notifier").click()
        expect(page.get_by_role("heading", name="No notifiers yet")).to_be_visible()


def test_a_refused_address_is_told_beside_the_form_and_what_was_typed_stays(console: ConsoleServer) -> None:
    with console.opens("/notifiers") as watched:
        page = watched.page
        page.get_by_label("Name").fill("hook")
        page.get_by_label("Address", exact=True).fill("https://10.0.0.1/hook")
        page.get_by_role("button", name="Add the notifier").click()

        expect(page.get_by_role("alert")).to_contain_text("private")
        expect(page.get_by_label("Address", exact=True)).to_have_value("https://10.0.0.1/hook")
        watched.forgive("400")


def test_a_question_becomes_a_notice_of_the_desktop_after_somebody_has_switched_it_on(console: ConsoleServer) -> None:
    ada = console.agent("ada")
    session = str(ada.post("/sessions", purpose="A garden for the school")["session_id"])
    with console.opens("/connect", permissions=["notifications"]) as watched:
        page = watched.page
        watched.context.add_init_script(_RECORDED)
        page.goto("/notifiers")
        switch = page.get_by_role("switch", name="Desktop notices")
        expect(switch).to_have_attribute("aria-checked", "false")
        ada.post(f"/sessions/{session}/questions", question="Too early?", blocking=True)
        expect(page.get_by_role("link", name="Inbox")).to_contain_text("1 waiting")
        switch.click()
        expect(switch).to_have_attribute("aria-checked", "true")

        asked = ada.post(f"/sessions/{session}/questions", question="A secret: swordfish?", blocking=True)
        page.wait_for_function("window.shownNotices.length === 1")
        title, body = page.evaluate("[window.shownNotices[0].title, window.shownNotices[0].body]")
        page.evaluate("window.shownNotices[0].onclick()")
        page.wait_for_url(f"**/sessions/{session}/questions/{asked['question']['id']}")

        assert (title, body) == ("A question waits for an answer", "From ada")
        expect(page.get_by_text("A secret: swordfish?").first).to_be_visible()


def test_who_has_switched_it_on_need_not_do_it_again_and_can_switch_it_off(console: ConsoleServer) -> None:
    with console.opens("/notifiers", permissions=["notifications"]) as watched:
        page = watched.page
        switch = page.get_by_role("switch", name="Desktop notices")
        switch.click()

        expect(switch).to_have_attribute("aria-checked", "true")
        page.reload()
        expect(switch).to_have_attribute("aria-checked", "true")
        switch.click()
        expect(switch).to_have_attribute("aria-checked", "false")


def test_the_page_can_be_installed(console: ConsoleServer) -> None:
    with console.opens("/now") as watched:
        page = watched.page
        session = watched.context.new_cdp_session(page)
        manifest = session.send("Page.getAppManifest")
        problems = session.send("Page.getInstallabilityErrors")["installabilityErrors"]

    assert manifest["url"] == f"{console.address}/manifest.webmanifest"
    assert manifest["errors"] == []
    # A window without a profile, as tests have it, installs nothing whatever the page says.
    assert {problem["errorId"] for problem in problems} <= {"in-incognito"}
    for name, kind in (("manifest.webmanifest", "application/manifest+json"), ("icon-192.png", "image/png")):
        answer = httpx2.get(f"{console.address}/{name}")
        assert (answer.status_code, answer.headers["content-type"]) == (200, kind)
