"""Somebody shares a link in the page, another person without a login reads it, and it is taken back."""

from playwright.sync_api import expect

from tests.console.chromium import DESKTOP, PHONE, accessibility_findings, window
from tests.console.console_server import ConsoleServer

HOSTILE = "<img src=x onerror=\"document.title='hacked'\"><script>document.title='hacked'</script>"


def test_a_link_is_made_read_by_a_stranger_and_revoked(console: ConsoleServer) -> None:
    ada = console.agent("ada")
    session = str(ada.post("/sessions", purpose="A garden for the school")["session_id"])
    ada.post(f"/sessions/{session}/notes", content=f"Tulips in spring {HOSTILE}", tags=["flowers"])
    ada.post(f"/sessions/{session}/tasks", tasks=[{"description": "Ask for soil"}, {"description": "Dig"}])
    ada.put(f"/sessions/{session}/draft/intro", title="Why a garden", content=f"# First\n\nBecause.\n\n{HOSTILE}")
    ada.post(f"/sessions/{session}/messages", content="A secret thought", visibility="private")
    with console.opens(f"/sessions/{session}/notes") as watched:
        page = watched.page
        page.get_by_role("button", name="Actions for the session").click()
        page.get_by_role("button", name="Share a link to read").click()
        dialog = page.get_by_role("dialog", name="Share a link to read")
        dialog.get_by_label("How long it works").select_option("1d")
        dialog.get_by_role("button", name="Make a link").click()
        address = dialog.locator("code").inner_text()
        expect(dialog.get_by_role("list", name="Links that work now").get_by_role("listitem")).to_have_count(1)
        assert accessibility_findings(page) == []

        for size in (DESKTOP, PHONE):
            with window(console.browser, console.address, None, viewport=size) as stranger:
                stranger.page.goto(address)
                expect(stranger.page.get_by_role("heading", name="A garden for the school")).to_be_visible()
                expect(stranger.page.get_by_text("Ask for soil")).to_be_visible()
                expect(stranger.page.get_by_text("Tulips in spring")).to_be_visible()
                expect(stranger.page.get_by_text("A secret thought")).to_have_count(0)
                assert stranger.page.title() == "A garden for the school"
                assert stranger.page.evaluate("document.querySelectorAll('script, img').length") == 0
                width = stranger.page.evaluate("document.documentElement.scrollWidth - innerWidth")
                assert width <= 0, "nothing scrolls sideways"
                assert accessibility_findings(stranger.page) == []
                assert stranger.left == []

        dialog.get_by_role("button", name="Revoke").click()
        expect(dialog.get_by_role("list", name="Links that work now")).to_have_count(0)
        with window(console.browser, console.address, None) as stranger:
            stranger.page.goto(address)
            expect(stranger.page.get_by_role("heading", name="This link opens nothing")).to_be_visible()
            assert accessibility_findings(stranger.page) == []
