"""All places of the console at which words of agents are shown, and how to bring all of them to light."""

import re
from collections.abc import Callable, Mapping
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, expect

from tests.console.hostile_table import NAMED_LIKE_PARTS, SESSION, WHOLE, HostileTable, line
from tests.console.hostile_tour import LOADS_WITHIN, Tour

MOST_REFUSED = 5
NAMES_REFUSED = 25
"""So many of two hundred texts may be refused by a field, such as those with a NUL."""

WALKS = 12

Visit = Callable[[Tour, HostileTable], None]


def inbox(tour: Tour, table: HostileTable) -> None:
    tour.goes("/now")
    tour.opens("/inbox")
    # The first of the list opens by itself.
    expect(tour.page.locator("[data-card]")).to_be_visible(timeout=LOADS_WITHIN)
    tour.walks()

    listed = tour.page.get_by_role("list", name="Open decisions").get_by_role("link")
    while (more := tour.page.locator("[data-more]")).count():
        more.click()
    assert listed.count() >= 1.5 * table.count
    for number in range(0, listed.count(), table.open_every):
        listed.nth(number).click()
        expect(tour.page.locator("[data-card]")).to_be_visible(timeout=LOADS_WITHIN)
    decided = tour.page.get_by_role("list", name="Decided lately").locator("li")
    expect(decided.first).to_be_visible(timeout=LOADS_WITHIN)


def sessions(tour: Tour, table: HostileTable) -> None:
    tour.goes("/sessions")
    assert tour.page.locator("main article").count() >= table.count
    for name in NAMED_LIKE_PARTS:
        tour.goes(f"/sessions/{name}")
    tour.goes(f"/sessions/{NAMED_LIKE_PARTS[0]}/activity")


def corkboard(tour: Tour, table: HostileTable) -> None:
    tour.opens(f"/sessions/{SESSION}")
    expect(tour.page.get_by_role("region", name="Notes: shared")).to_be_visible(timeout=LOADS_WITHIN)
    assert walks_to_the_end(tour, "Notes: shared", table)
    tour.chooses("One list")
    assert walks_to_the_end(tour, "Notes, newest first", table)
    for number in range(0, table.count, 40):
        tour.page.locator("main [data-search]").first.fill(line(table.word(number), 200))
        tour.page.keyboard.press("Enter")
        tour.walks()


def manuscript(tour: Tour, table: HostileTable) -> None:
    tour.opens(f"/sessions/{SESSION}/draft")
    histories = tour.page.locator("main section[aria-label^='History of']")
    for _ in range(5):
        # Sections are made ready as they come near: some may be so only on the way back.
        tour.walks("^History of ", scrolls=histories.count() < table.count)
    assert histories.count() == table.count
    tour.walks("^Show changes")

    assert tour.page.locator("main .diff, main [class*=unified], main ins, main del").count() >= table.count / 2


def checklist(tour: Tour, table: HostileTable) -> None:
    tour.goes(f"/sessions/{SESSION}/plan")
    assert tour.opens_tasks(SESSION, table.count) == table.count
    tour.page.keyboard.press("Escape")
    tour.chooses("Graph")
    expect(tour.page.get_by_role("region", name="Dependency graph")).to_be_visible(timeout=LOADS_WITHIN)
    tour.walks()


def messages(tour: Tour, table: HostileTable) -> None:
    tour.goes(f"/sessions/{SESSION}/messages")
    size = table.made["messages"] + table.made["answers"]
    tour.climbs("Messages", size)
    tour.walks()

    assert tour.lists["Messages"] == [size, size]
    tour.page.get_by_role("button", name="Show thread").first.click()
    expect(tour.page.get_by_role("dialog").get_by_role("article").first).to_be_visible()


def questions(tour: Tour, table: HostileTable) -> None:
    tour.goes(f"/sessions/{SESSION}/questions")

    assert tour.lists["Settled questions, newest first"] == [table.taken["replies.answers"]] * 2


def activity(tour: Tour, table: HostileTable) -> None:
    tour.goes(f"/sessions/{SESSION}/activity")
    tour.page.get_by_label("What happened").select_option(index=0)
    tour.walks()

    seen, size = tour.lists["Activity, newest first"]
    assert seen == size
    assert size >= table.count


def notebooks(tour: Tour, table: HostileTable) -> None:
    tour.goes("/notebooks")
    tour.goes("/notebooks/trash")
    assert tour.page.get_by_role("list", name="Scratchpads in the trash").locator("> li").count() >= table.count - 5
    # Their cells hold the same texts as those that `cells` looks at, all of them.
    for number in range(0, table.count, 20):
        tour.goes(f"/notebooks/pad/pad-{number}")


def cells(tour: Tour, table: HostileTable) -> None:
    for name in (*WHOLE, "mixed"):
        tour.goes(f"/notebooks/pad/all-{name}")
        assert all_seen(tour, "Cells", table), tour.lists


def search(tour: Tour, table: HostileTable) -> None:
    tour.goes("/notebooks")
    box = tour.page.get_by_label("Search the notebooks")
    hits = tour.page.get_by_role("list", name="Search hits").locator("> li")
    for words in ("evil test", "script", "window"):
        box.fill(words)
        tour.page.get_by_label("Everything").check()
        expect(hits.first).to_be_visible(timeout=LOADS_WITHIN)
        _follows_address(tour, box)
        tour.walks(presses="^Show up to")
        expect(hits.nth(25)).to_be_visible(timeout=LOADS_WITHIN)
        tour.walks()
    for number in range(0, table.count, 15):
        box.fill(line(table.word(number), 500))
        _follows_address(tour, box)
        tour.walks()


def _follows_address(tour: Tour, box: Locator) -> None:
    """What is typed stands in the address a moment later."""
    typed = box.input_value()
    tour.page.wait_for_url(lambda url: parse_qs(urlsplit(url).query).get("q") == [typed])


def gateway(tour: Tour, table: HostileTable) -> None:
    for tab in ("", "/tools", "/quarantine", "/rules", "/calls", "/intents"):
        tour.goes(f"/gateway{tab}")


def audit(tour: Tour, table: HostileTable) -> None:
    tour.goes("/audit", presses="^Details of record", most=4)


def connect(tour: Tour, table: HostileTable) -> None:
    request = tour.seen.context.request
    headers = {"X-CSRF-Token": request.get("/me").json()["csrf"], "Origin": tour.seen.origin}
    names = [line(table.word(number), 100) for number in range(table.count)]
    made = [request.post("/tokens", data={"role": "reader", "name": name}, headers=headers) for name in names]
    assert sum(answer.ok for answer in made) >= table.count - NAMES_REFUSED

    tour.page.reload()
    tour.goes("/connect")
    assert tour.page.get_by_role("table", name="Tokens").locator("tbody tr").count() >= table.count - NAMES_REFUSED
    tour.page.get_by_role("button", name=re.compile("^Revoke ")).first.click()
    expect(tour.page.get_by_role("dialog")).to_be_visible()


def walks_to_the_end(tour: Tour, label: str, table: HostileTable) -> bool:
    """Of a list that is read as somebody comes near its end."""
    for _ in range(WALKS):
        tour.walks()
        if all_seen(tour, label, table):
            return True
    return False


def all_seen(tour: Tour, label: str, table: HostileTable) -> bool:
    seen, size = tour.lists[label]
    return seen == size and size >= table.count - MOST_REFUSED


VISITS: Mapping[str, Visit] = {
    visit.__name__: visit
    for visit in (
        inbox,
        sessions,
        corkboard,
        manuscript,
        checklist,
        messages,
        questions,
        activity,
        notebooks,
        cells,
        search,
        gateway,
        audit,
        connect,
    )
}
