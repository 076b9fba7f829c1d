"""Goes through pages of the console as a curious reader would: scrolls every list to its end, unfolds what is folded,
and looks at what has become of the words of agents."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Frame, Page, expect

from longtable.console.addresses import PARTS
from tests.console.chromium import WatchedWindow
from tests.console.console_server import ConsoleServer

LOADS_WITHIN = 60_000
TALL = {"width": 1280, "height": 4_000}
"""A window that shows many items at a time: fewer stops on the way through a list."""
UNFOLDS = "^Show (all|the)"

_TELL_SCRIPTS = """
Object.defineProperty(window, "__pwned", { set: (value) => console.error(`a script ran: ${value}`) });
"""

# What must not be in the page, whatever agents write.
_FAULTS = r"""
const checked = new WeakSet();
const faults = () => {
  const found = [];
  const tell = (what, element) => found.push(`${what}: ${element.outerHTML.slice(0, 160)}`);
  for (const link of document.querySelectorAll("a[href], area[href]")) {
    if (link.origin === location.origin && !link.closest(".markdown")) continue;
    const safe = ["http:", "https:", "mailto:"].includes(link.protocol) && link.target === "_blank" &&
      link.relList.contains("noopener") && link.relList.contains("noreferrer") && !link.hasAttribute("ping");
    if (!safe) tell("link", link);
  }
  const foreign = "img, picture, video, audio, iframe, frame, object, embed, base, area, applet, math, template, " +
    "slot, meta[http-equiv], form[action], [formaction], [srcset], [poster], [background], svg image, svg use, " +
    "body link, body style, body script, noscript:not(body > noscript)";
  for (const element of document.querySelectorAll(foreign)) tell("element", element);
  const own = ".markdown :is(form, button, select, textarea, dialog, [popover], [contenteditable], [autofocus])";
  for (const element of document.querySelectorAll(own)) tell("control", element);
  for (const element of document.querySelectorAll(".markdown input")) {
    if (element.type !== "checkbox" || !element.disabled) tell("input", element);
  }
  for (const element of document.querySelectorAll("main *, dialog *")) {
    if (checked.has(element)) continue;
    checked.add(element);
    for (const { name, value } of element.attributes) {
      if (name.startsWith("on") || (name === "style" && /url|expression|import/i.test(value))) tell(name, element);
    }
  }
  for (const id of ["root", "content"]) {
    if (document.querySelectorAll(`[id="${id}"], [name="${id}"]`).length !== 1) found.push(`not one ${id}`);
  }
  if (window.opener !== null || window.top !== window) found.push("the window is somebody else's");
  return found;
};
const pause = () => new Promise((go) => requestAnimationFrame(() => setTimeout(go, 0)));
"""

_WALK = r"""
const found = new Set(), lists = {}, done = new Set();
const note = () => {
  for (const fault of faults()) found.add(fault);
  for (const item of document.querySelectorAll("[data-index][aria-setsize]")) {
    const label = item.parentElement.closest("[aria-label]").getAttribute("aria-label");
    lists[label] ??= { size: 0, seen: new Set() };
    lists[label].size = Math.max(lists[label].size, Number(item.getAttribute("aria-setsize")));
    lists[label].seen.add(item.dataset.index);
  }
};
const named = (button) => button.getAttribute("aria-label") ?? button.textContent.trim();
const unfold = () => {
  for (const fold of document.querySelectorAll("main details:not([open])")) fold.open = true;
  for (const button of document.querySelectorAll("main :is(button:enabled, [role=switch])")) {
    if (done.has(button) || !new RegExp(presses).test(named(button.closest("label") ?? button))) continue;
    done.add(button);
    button.click();
  }
};
const loaded = async () => {
  const isBusy = () => document.querySelector("main .loading, main [aria-busy=true]") !== null;
  for (let waits = 0; waits < 300 && isBusy(); waits += 1) await pause();
};
const showMore = async () => {
  for (let times = 0; times < most;) {
    const buttons = [...document.querySelectorAll("main button")];
    const button = buttons.find((one) => /^(Show (more|older)|More )/.test(named(one)));
    if (!button) return;
    if (!button.disabled) { button.click(); times += 1; }
    await pause();
  }
};
const through = async (box, place, size, whole) => {
  box[place] = 0;
  for (let stops = 0; stops < 3000; stops += 1) {
    unfold(); await pause(); await loaded(); note();
    const before = box[place];
    if (before + box[size] >= box[whole] - 2) break;
    box[place] += Math.max(120, box[size] * 0.8);
    await pause();
    if (box[place] === before) break;
  }
};
const isHere = (item) => item.checkVisibility() && !item.closest(".virtual");
await loaded();
await showMore();
unfold();
await loaded();
if (scrolls || [...document.querySelectorAll("[data-index]")].some(isHere)) {
  await through(document.scrollingElement, "scrollTop", "clientHeight", "scrollHeight");
}
const boxes = ".virtual, section[tabindex='0']:has(section)";
const nextBox = () => [...document.querySelectorAll(boxes)].find((one) => !done.has(one));
for (let box = nextBox(); box; box = nextBox()) {
  done.add(box);
  box.scrollIntoView({ block: "nearest" });
  await pause();
  if (box.matches(".virtual")) await through(box, "scrollTop", "clientHeight", "scrollHeight");
  else await through(box, "scrollLeft", "clientWidth", "scrollWidth");
}
unfold();
await loaded();
note();
return {
  faults: [...found],
  lists: Object.fromEntries(Object.entries(lists).map(([label, { size, seen }]) => [label, [seen.size, size]])),
};
"""
WALK = f"async ({{ presses, most, scrolls }}) => {{ {_FAULTS} {_WALK} }}"

TASKS = f"""async (addresses) => {{
  {_FAULTS}
  const found = new Set();
  let opened = 0;
  for (const address of addresses) {{
    location.hash = address;
    const title = `Task ${{address.split("/").pop()}}`;
    const isOpen = () => document.querySelector("dialog[open] h2")?.textContent === title;
    for (let waits = 0; waits < 200 && !isOpen(); waits += 1) await pause();
    if (isOpen()) opened += 1;
    for (const fold of document.querySelectorAll("dialog details")) fold.open = true;
    await pause();
    for (const fault of faults()) found.add(fault);
  }}
  return {{ faults: [...found], opened }};
}}"""

_TO_THE_TOP = """(element) => new Promise((drawn) => {
  element.scrollTop = 0;
  requestAnimationFrame(() => requestAnimationFrame(drawn));
})"""


PAGES = PARTS | {""}
"""Where paths of the console begin."""


@dataclass
class Tour:
    """One window. `faults` is what was found in it; `lists` how many items of each list were seen, of how many."""

    seen: WatchedWindow
    faults: set[str] = field(default_factory=set)
    lists: dict[str, list[int]] = field(default_factory=dict)
    strayed: list[str] = field(default_factory=list)

    @property
    def page(self) -> Page:
        return self.seen.page

    def goes(self, path: str, presses: str = UNFOLDS, most: int = 30, scrolls: bool = False) -> None:
        """To a page of the console, and through it. Presses each button that is named so once, and those that show
        more up to `most` times. `scrolls` where the page makes things ready as they come into sight."""
        self.opens(path)
        self.walks(presses, most, scrolls)

    def opens(self, path: str) -> None:
        self.page.goto(f"/#{path}")
        expect(self.page.locator("main h1").first).to_be_visible(timeout=LOADS_WITHIN)
        expect(self.page.locator("main .loading")).to_have_count(0, timeout=LOADS_WITHIN)

    def walks(self, presses: str = UNFOLDS, most: int = 30, scrolls: bool = False) -> None:
        before = self.page.url
        found: dict[str, Any] = self.page.evaluate(WALK, {"presses": presses, "most": most, "scrolls": scrolls})
        self.faults.update(found["faults"])
        self.lists |= found["lists"]
        assert self.page.url == before, f"The page went from {before} to {self.page.url} by itself"

    def chooses(self, view: str) -> None:
        """One of several views of the same."""
        self.page.locator("main :is(label, button)").filter(has_text=re.compile(rf"^\s*{view}\s*$")).first.click()

    def climbs(self, label: str, size: int) -> None:
        """A list that begins at its end, until its first item is loaded."""
        box = self.page.get_by_role("region", name=label, exact=True)
        first = box.locator(f"[aria-posinset='1'][aria-setsize='{size}']")
        for _ in range(500):
            box.evaluate(_TO_THE_TOP)
            if first.count() == 1:
                return
        raise AssertionError(f"The first of {size} {label} did not come")

    def opens_tasks(self, session: str, count: int) -> int:
        """How many dialogs have opened."""
        addresses = [f"/sessions/{session}/plan/t{number}" for number in range(1, count + 1)]
        found: dict[str, Any] = self.page.evaluate(TASKS, addresses)
        self.faults.update(found["faults"])
        return int(found["opened"])

    def note(self, frame: Frame) -> None:
        parts = urlsplit(frame.url)
        is_ours = f"{parts.scheme}://{parts.netloc}" == self.seen.origin and parts.path[1:].partition("/")[0] in PAGES
        if not is_ours or frame != self.page.main_frame:
            self.strayed.append(frame.url)


@contextmanager
def touring(console: ConsoleServer) -> Iterator[Tour]:
    """At the end nothing has run, nothing was fetched from elsewhere, and nothing has moved or opened by itself."""
    with console.opens("/connect", viewport=TALL) as seen:
        seen.context.add_init_script(_TELL_SCRIPTS)
        tour = Tour(seen)
        seen.page.reload()
        seen.page.on("framenavigated", tour.note)
        yield tour
        found = [*sorted(tour.faults), *tour.strayed, *seen.problems, *seen.left]
        assert found == [], "\n".join(found[:20])
        assert len(seen.context.pages) == 1
