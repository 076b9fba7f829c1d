"""Pages of other sites, in the same browser as somebody who has signed in."""

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.console.chromium import FOREIGN, window
from tests.console.console_server import ConsoleServer


@contextmanager
def site(html: str) -> Iterator[str]:
    """Another origin."""

    class PageHandler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), PageHandler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://{FOREIGN}:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_the_console_is_not_shown_in_a_frame(console: ConsoleServer) -> None:
    with (
        site(f'<iframe src="{console.address}/"></iframe>') as other,
        window(console.browser, other, console.state) as seen,
    ):
        seen.page.goto("/")
        frame = seen.page.frames[-1]

        expect(seen.page.locator("iframe")).to_be_visible()
        assert "Longtable" not in (frame.title() or "")
        assert any("frame" in problem.lower() for problem in seen.problems)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_a_form_of_another_site_changes_nothing(console: ConsoleServer, kind: str) -> None:
    before = len(console.agent("watcher").get("/sessions")["sessions"])
    form = f"""<form method="post" action="{console.address}/sessions" enctype="{kind}">
        <input name='{{"purpose": "' value='forged"}}'><button>Go</button></form>"""

    with site(form) as other, window(console.browser, other, console.state) as seen:
        seen.page.goto("/")
        with seen.page.expect_response(f"{console.address}/sessions") as answer:
            seen.page.get_by_role("button", name="Go").click()

    assert answer.value.status == 403
    assert len(console.agent("watcher").get("/sessions")["sessions"]) == before


def test_a_script_of_another_site_reads_and_changes_nothing(console: ConsoleServer) -> None:
    attempt = """async ([address, method]) => {
      try {
        const answer = await fetch(address + "/sessions", {
          method, credentials: "include", ...(method === "POST" ? { body: '{"purpose": "forged"}' } : {}),
        });
        return await answer.text();
      } catch (error) { return "refused"; }
    }"""
    before = len(console.agent("watcher").get("/sessions")["sessions"])

    with site("<p>Hello</p>") as other, window(console.browser, other, console.state) as seen:
        seen.page.goto("/")
        outcomes = [seen.page.evaluate(attempt, [console.address, method]) for method in ("GET", "POST")]

    assert outcomes == ["refused", "refused"]
    assert len(console.agent("watcher").get("/sessions")["sessions"]) == before


def test_our_own_page_without_its_token_changes_nothing(console: ConsoleServer) -> None:
    attempt = """async () => (await fetch("/sessions", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: '{"purpose": "forged"}',
    })).status"""

    with window(console.browser, console.address, console.state) as seen:
        seen.page.goto("/")
        expect(seen.page.get_by_role("heading", name="Now", level=1)).to_be_visible()

        assert seen.page.evaluate(attempt) == 403
