"""The table inside a chat: the page as a host shows it, in the official inspector and in a small host of our own."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Frame, Page, Route, expect

from tests.console.chromium import WatchedWindow, accessibility_findings, window
from tests.console.console_server import ConsoleServer, RestAgent
from tests.console.inspector import inspector

URI = "ui://longtable/table"
HOSTILE = "<img src=x onerror=alert(1)><b>bold</b>"
HOST = "http://127.0.0.1:9/host"
HOST_PAGE = """<!doctype html><html lang="en"><title>A host</title>
<main><h1>A chat</h1><iframe title="Longtable" sandbox="allow-scripts" style="width:100%;height:80vh"></iframe></main>
<script>
const frame = document.querySelector("iframe");
globalThis.seen = [];
const reply = (message) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
globalThis.tell = (method, params) => reply({ method, params });
addEventListener("message", async ({ source, data }) => {
  if (source !== frame.contentWindow) return;
  seen.push(data);
  if (data.method === "ui/initialize") {
    const known = { hostInfo: { name: "host", version: "1" }, protocolVersion: "2026-01-26" };
    reply({ id: data.id, result: { ...known, hostCapabilities: capabilities, hostContext: { theme: "dark" } } });
  } else if (data.method === "resources/read") {
    const result = await readResource(data.params.uri);
    reply(result ? { id: data.id, result } : { id: data.id, error: { code: -32603, message: "no" } });
  } else if (data.method === "ui/open-link") reply({ id: data.id, result: {} });
});
</script></html>"""
EVERYTHING: dict[str, Any] = {"serverResources": {}, "openLinks": {}}


@pytest.fixture(scope="module")
def browser(whole_browser: Browser) -> Browser:
    """Frames without an origin are told of it too late in the other."""
    return whole_browser


def asks(agent: RestAgent, session: str, method: str, **params: Any) -> dict[str, Any]:
    """As a host asks the server, on behalf of the agent in its chat."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "host", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {
            "extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}
        },
    }
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": method,
        "Mcp-Name": params.get("uri") or params["name"],
        "X-Session-ID": session,
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    result: dict[str, Any] = agent._ask("POST", "/mcp", json=message, more=headers)["result"]
    return result


@contextmanager
def hosted(browser: Browser, agent: RestAgent, session: str, capabilities: dict[str, Any]) -> Iterator[WatchedWindow]:
    """A page that frames ours as the specification says, and hands it the result of a brief."""
    [page] = asks(agent, session, "resources/read", uri=URI)["contents"]
    with window(browser, HOST) as seen:
        seen.context.route(HOST, _answer)
        seen.page.expose_function("readResource", lambda uri: _read(agent, session, uri))
        seen.page.add_init_script(f"globalThis.capabilities = {json.dumps(capabilities)}")
        seen.page.goto(HOST)
        seen.page.locator("iframe").evaluate("(frame, text) => { frame.srcdoc = text; }", page["text"])
        seen.page.wait_for_function("seen.some(({ method }) => method === 'ui/notifications/initialized')")
        brief = asks(agent, session, "tools/call", name="brief", arguments={})
        seen.page.evaluate("(result) => tell('ui/notifications/tool-result', result)", brief)
        yield seen
        assert seen.problems == []


def _answer(route: Route) -> None:
    route.fulfill(body=HOST_PAGE, content_type="text/html")


def _read(agent: RestAgent, session: str, uri: str) -> Any:
    assert uri.startswith(f"longtable://session/{session}/")
    return asks(agent, session, "resources/read", uri=uri)


def framed(page: Page) -> Frame:
    return page.frames[1]


def a_session(console: ConsoleServer) -> str:
    ann = console.agent("ann")
    session: str = ann.post("/sessions", purpose="Build a shed")["session_id"]
    ann.post(f"/sessions/{session}/tasks", tasks=[{"description": "Saw the boards"}, {"description": HOSTILE}])
    ann.calls("claim_task", session, task_id="t1")
    ann.post(f"/sessions/{session}/questions", question=f"Which colour? {HOSTILE}", blocking=True)
    return session


def test_the_page_shows_plan_and_questions_as_text_and_reads_them_again(
    browser: Browser, console: ConsoleServer
) -> None:
    ann, session = console.agent("ann"), a_session(console)

    with hosted(browser, ann, session, EVERYTHING) as seen:
        page = framed(seen.page)
        expect(page.get_by_role("heading", name="Build a shed")).to_be_visible()
        column = page.locator("#board > section").filter(has_text="In progress")
        expect(column.get_by_text("Saw the boards")).to_be_visible()
        expect(page.locator("#board > section").filter(has_text="Pending").get_by_text(HOSTILE)).to_be_visible()
        expect(page.get_by_text(f"Which colour? {HOSTILE}")).to_be_visible()
        assert page.locator("img, b").count() == 0
        assert page.locator("html").get_attribute("data-theme") == "dark"

        ann.post(f"/sessions/{session}/questions", question="Which nails?")
        page.get_by_role("button", name="Refresh").click()
        expect(page.get_by_text("Which nails?")).to_be_visible()

        page.get_by_role("link", name="Open it in the console").click()
        seen.page.wait_for_function("seen.some(({ method }) => method === 'ui/open-link')")
        told = seen.page.evaluate("seen.map(({ method, params }) => [method, params?.url ?? params?.uri])")
        assert ["ui/open-link", f"{console.address}/sessions/{session}"] in told
        assert {method for method, _ in told} == {
            "ui/initialize",
            "ui/notifications/initialized",
            "ui/notifications/size-changed",
            "resources/read",
            "ui/open-link",
        }
        assert accessibility_findings(seen.page) == []


def test_a_host_that_reads_nothing_for_it_sees_what_the_brief_said(browser: Browser, console: ConsoleServer) -> None:
    session = a_session(console)

    with hosted(browser, console.agent("ann"), session, {}) as seen:
        page = framed(seen.page)
        expect(page.get_by_text(f"Which colour? {HOSTILE}")).to_be_visible()
        expect(page.get_by_text("Saw the boards")).to_be_visible()
        expect(page.get_by_text(f"{console.address}/sessions/{session}")).to_be_visible()
        assert not page.get_by_role("button").is_visible()


@pytest.mark.node
@pytest.mark.timeout(180)
def test_the_inspector_shows_it_in_its_apps(browser: Browser, console: ConsoleServer, tmp_path: Path) -> None:
    session = a_session(console)
    headers = {"X_Session_ID": session, "X_Caller_Agent": "ann"}

    with inspector(tmp_path, f"{console.address}/mcp", **headers) as address, window(browser, address) as seen:
        page = seen.page
        page.goto(address)
        page.get_by_role("switch").first.press("Space")
        page.locator("label").filter(has_text="Apps").click()
        page.get_by_role("button", name="Get up to date").click()
        page.get_by_role("button", name="Open App").click()

        shown = page.frame_locator("iframe").frame_locator("iframe")
        expect(shown.get_by_role("heading", name="Build a shed")).to_be_visible()
        expect(shown.get_by_role("heading", name="In progress")).to_be_visible()
        expect(shown.get_by_text(f"Which colour? {HOSTILE}")).to_be_visible()
        expect(shown.get_by_role("link", name="Open it in the console")).to_be_visible()
