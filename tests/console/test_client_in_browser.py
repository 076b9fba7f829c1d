"""The TypeScript client in a browser, on a page of the server itself."""

from typing import Any

import pytest
from playwright.sync_api import Page, Route

from tests.clients.typescript import PACKAGE, skip_unless_built
from tests.console.chromium import window
from tests.console.console_server import ConsoleServer

PROGRAM = """async () => {
  const { NotFound, Orchestrator } = await import("/client/index.js");
  const boss = Orchestrator.open(location.origin);
  const { session_id } = await boss.createSession({ purpose: "From a browser" });
  const table = boss.workspace(session_id, { agent: "Zoë" });
  const { note } = await table.addNote("Seen in a browser.");
  const refused = await table.getMemory("nothing").catch((error) => error);
  await boss.close(session_id);
  const kinds = [];
  for await (const { kind } of table.events({ after: 0, kinds: ["session/*", "scratchpad/*"] })) kinds.push(kind);
  return { author: note.author, refused: refused instanceof NotFound, kinds };
}"""


def serves_client(page: Page) -> None:
    """As if the files of the package were part of the page."""

    def answer(route: Route) -> None:
        name = route.request.url.partition("/client/")[2]
        route.fulfill(path=PACKAGE / "dist" / name, content_type="text/javascript")

    page.route("**/client/**", answer)


@pytest.fixture
def page_with_client(console: ConsoleServer) -> Any:
    skip_unless_built()
    with window(console.browser, console.address, console.state) as seen:
        serves_client(seen.page)
        seen.page.goto("/")
        yield seen.page


def test_it_calls_refuses_and_listens_as_anywhere_else(page_with_client: Page) -> None:
    result = page_with_client.evaluate(PROGRAM)

    kinds = ["session/created", "scratchpad/note_added", "session/closed"]
    assert result == {"author": "Zoë", "refused": True, "kinds": kinds}
