"""Makes the pictures of the documentation anew: the console of `longtable demo`, in Chromium, at two sizes and in two
colours. Needs the console to be built and Chromium to be installed."""

import base64
import json
import os
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import numpy as np
import numpy.typing as npt
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "images" / "console"
LIMIT = 30.0
USUAL_PORT = 8765
LINK = re.compile(r"(http://\S+)(/login\?link=\S+)\s")
QUERY = "what does coffee cost"
STORY_ENDS = "The story is over"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

Colours = Literal["light", "dark"]
Size = Literal["desktop", "phone"]
SIZES: dict[Size, tuple[int, int]] = {"desktop": (1280, 800), "phone": (390, 844)}
READ_PICTURE = """async (encoded) => {
  const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${encoded}`)).blob());
  const canvas = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
  canvas.drawImage(picture, 0, 0);
  const { data } = canvas.getImageData(0, 0, picture.width, picture.height);
  let text = "";
  for (let at = 0; at < data.length; at += 32768) text += String.fromCharCode(...data.subarray(at, at + 32768));
  return [picture.width, btoa(text)];
}"""
MOST_COLOURS = 256
Pixels = npt.NDArray[np.uint32]
"""Each as one number: red, then green, then blue."""
LOOKING_BACK = timedelta(seconds=90)
"""How long ago the story ended, in all pictures."""
AWAY, NEWS = timedelta(hours=1), 40
"""How long a returning user was away, and how many events happened meanwhile."""


@dataclass(frozen=True)
class Shot:
    """A page, and what a user does there before the picture is taken. `{session}` in its path is the session of the
    story. With `returns` the user has seen it before, in the middle of the story."""

    name: str
    path: str
    act: Callable[[Page], None] | None = None
    returns: bool = False


def choose_questions(page: Page) -> None:
    page.get_by_role("button", name="Questions").click()


def open_history(page: Page) -> None:
    """Of the section that was rewritten most: what its second version changed."""
    page.get_by_role("button", name="History of The three options").click()
    page.get_by_role("button", name="Older version").click()
    page.get_by_role("switch", name="Show changes").check()
    page.get_by_role("article", name="The three options").evaluate("section => section.scrollIntoView()")


def show_board(page: Page) -> None:
    page.get_by_role("radio", name="Board").click()


def show_graph(page: Page) -> None:
    page.get_by_role("radio", name="Graph").click()


def search(page: Page) -> None:
    page.get_by_role("searchbox", name="Search the notebooks").press_sequentially(QUERY)
    expect(page.get_by_role("list", name="Search hits").get_by_role("listitem").first).to_be_visible()
    still(page)
    expect(page.get_by_role("region", name="Hits").get_by_role("status")).not_to_contain_text("still looking")


def verify(page: Page) -> None:
    page.get_by_role("button", name="Verify").click()
    expect(page.get_by_text("the chain holds")).to_be_visible()


SHOTS = (
    Shot("now", "/"),
    Shot("inbox", "/inbox/approval/d1"),
    Shot("questions", "/inbox", choose_questions),
    Shot("sessions", "/sessions"),
    Shot("corkboard", "/sessions/{session}", returns=True),
    Shot("manuscript", "/sessions/{session}/draft"),
    Shot("history", "/sessions/{session}/draft", open_history),
    Shot("checklist", "/sessions/{session}/plan", show_board),
    Shot("graph", "/sessions/{session}/plan", show_graph),
    Shot("messages", "/sessions/{session}/messages"),
    Shot("activity", "/sessions/{session}/activity"),
    Shot("notebooks", "/notebooks"),
    Shot("pad", "/notebooks/pad/coffee-offers"),
    Shot("search", "/notebooks", search),
    Shot("trash", "/notebooks/trash"),
    Shot("gateway", "/gateway"),
    Shot("rules", "/gateway/rules"),
    Shot("audit", "/audit", verify),
    Shot("connect", "/connect"),
)


@dataclass
class Demo:
    """`longtable demo` at a terminal of its own: it shows its link nowhere else."""

    process: "subprocess.Popen[bytes]"
    screen: int
    shown: str = ""

    def reads_until(self, found: Callable[[str], bool]) -> None:
        deadline = time.monotonic() + LIMIT
        while not found(self.shown):
            ready, _, _ = select.select([self.screen], [], [], max(deadline - time.monotonic(), 0))
            if not ready:
                raise TimeoutError(f"The demo did not go on after:\n{self.shown}")
            # Raises OSError once the last process on the terminal is gone.
            self.shown += os.read(self.screen, 65_536).decode(errors="replace")

    def end(self) -> None:
        """As a person does, so that it deletes its folder."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        with suppress(OSError, TimeoutError):
            self.reads_until(lambda shown: False)
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.screen)


@contextmanager
def demo() -> Iterator[tuple[str, str]]:
    """The address of a demo at the end of its story, and the link to sign in with."""
    arguments = ["demo", "--fast", "--patience", "0", "--http-port", str(port())]
    screen, terminal = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "longtable", *arguments],
        env={**os.environ, "COLUMNS": "200", "TERM": "xterm"},
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
    )
    os.close(terminal)
    running = Demo(process, screen)
    try:
        running.reads_until(lambda shown: STORY_ENDS in shown)
        found = LINK.search(running.shown)
        if found is None:
            raise RuntimeError(f"The demo showed no link:\n{running.shown}")
        yield found[1], found[1] + found[2]
    finally:
        running.end()


def port() -> int:
    """The usual one, so that the addresses in the pictures are those of the documentation; any other if it is taken."""
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", USUAL_PORT))
        except OSError:
            return 0
    return USUAL_PORT


@contextmanager
def chromium() -> Iterator[Browser]:
    program = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if program is None:
        raise SystemExit("Chromium is not installed: 'make browser' installs it")
    # As root, which containers often are, Chromium has no sandbox to start.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        try:
            yield browser
        finally:
            browser.close()


@dataclass(frozen=True)
class Story:
    session: str
    last_event: int


@dataclass(frozen=True)
class Photographer:
    browser: Browser
    address: str
    login: Any
    story: Story
    now: datetime
    folder: Path

    def take_all(self) -> None:
        for size in SIZES:
            for colours in ("light", "dark"):
                with self._window(size, colours) as context:
                    for shot in SHOTS:
                        self._take(context, shot, self.folder / f"{shot.name}-{size}-{colours}.png")

    @contextmanager
    def _window(self, size: Size, colours: Colours) -> Iterator[BrowserContext]:
        width, height = SIZES[size]
        context = self.browser.new_context(
            base_url=self.address,
            storage_state=self.login,
            viewport={"width": width, "height": height},
            device_scale_factor=1,
            color_scheme=colours,
            reduced_motion="reduce",
            has_touch=size == "phone",
            locale="en-GB",
            timezone_id="UTC",
        )
        context.set_default_timeout(LIMIT * 1000)
        context.clock.set_fixed_time(self.now)
        try:
            yield context
        finally:
            context.close()

    def _take(self, context: BrowserContext, shot: Shot, target: Path) -> None:
        page = context.new_page()
        if shot.returns:
            seen = {"seq": self.story.last_event - NEWS, "at": int((self.now - AWAY).timestamp() * 1000)}
            key = f"longtable-seen:{self.story.session}"
            page.add_init_script(f"localStorage.setItem({json.dumps(key)}, {json.dumps(json.dumps(seen))})")
        page.goto("/#" + shot.path.format(session=quote(self.story.session, safe="")))
        settle(page)
        if shot.act is not None:
            shot.act(page)
            page.mouse.move(0, 0)
            settle(page)
        picture = still(page)
        page.close()
        small = small_png(*self._pixels(picture))
        target.write_bytes(small)
        print(f"{target.name}: {len(small) // 1024} KB")

    def _pixels(self, picture: bytes) -> tuple[bytes, int]:
        """The browser decodes its own pictures, so no library is needed."""
        blank = self.browser.new_page()
        width, pixels = blank.evaluate(READ_PICTURE, base64.b64encode(picture).decode())
        blank.close()
        return base64.b64decode(pixels), width


def settle(page: Page) -> None:
    """By what is visible: the network is never idle, because of the event stream."""
    expect(page.locator("h1").first).to_be_visible()
    expect(page.locator(".loading, [aria-busy=true]")).to_have_count(0)


def still(page: Page) -> bytes:
    """A picture of a page in which nothing moves any more."""
    last = b""
    for _ in range(20):
        picture = page.screenshot(animations="disabled")
        if picture == last:
            return picture
        last = picture
        page.wait_for_timeout(150)
    raise TimeoutError(f"{page.url} does not come to rest")


def sign_in(browser: Browser, address: str, link: str) -> tuple[Any, Story]:
    """The browser's storage after signing in, and the session of the demo."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(link)
    expect(page.locator("h1").first).to_be_visible()
    tables = context.request.get(f"{address}/overview").json()["sessions"]
    session = next(table["session_id"] for table in tables if "coffee machine" in (table["purpose"] or ""))
    last_event = context.request.get(f"{address}/sessions/{session}/overview").json()["last_seq"]
    wait_for_meaning(context, address)
    login = context.storage_state()
    context.close()
    return login, Story(session, last_event)


def wait_for_meaning(context: BrowserContext, address: str) -> None:
    """The model reads the scratchpads in its own time. Where there is none, the pictures show what words find."""

    def found(mode: str) -> int:
        query = f"q={quote(QUERY)}&kinds=cell&kinds=scratchpad&mode={mode}"
        return len(context.request.get(f"{address}/search?{query}").json()["hits"])

    deadline = time.monotonic() + LIMIT
    while found("hybrid") <= found("keyword") and time.monotonic() < deadline:
        time.sleep(0.5)


def small_png(rgba: bytes, width: int) -> bytes:
    """A PNG of 256 colours: plenty for paper and ink, and the pictures are kept in git. Four bytes are one point."""
    pixels = np.frombuffer(rgba, ">u4").astype(np.uint32) >> 8
    colours, where, counts = np.unique(pixels, return_inverse=True, return_counts=True)
    palette = _palette(colours, counts)
    rows = _nearest(colours, palette)[where].reshape(-1, width)
    header = struct.pack(">IIBBBBB", width, len(rows), 8, 3, 0, 0, 0)
    # Each row begins with the number of its filter: none, since numbers of colours are no amounts.
    lines = zlib.compress(np.pad(rows, ((0, 0), (1, 0))).tobytes(), 9)
    chunks = ((b"IHDR", header), (b"PLTE", _parts(palette).tobytes()), (b"IDAT", lines), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, content) for kind, content in chunks)


def _palette(colours: Pixels, counts: npt.NDArray[np.intp]) -> Pixels:
    """One after the other the colour that would be missed most, by how often it is there and how unlike those that are
    chosen already: so a few green words stay green among many greys."""
    points = _parts(colours).astype(np.int64)
    chosen = [int(counts.argmax())]
    gaps = ((points - points[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < MOST_COLOURS and gaps.any():
        chosen.append(int((gaps * counts).argmax()))
        gaps = np.minimum(gaps, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
    return colours[chosen]


def _nearest(colours: Pixels, palette: Pixels) -> npt.NDArray[np.uint8]:
    apart = _parts(colours)[:, None, :].astype(np.int32) - _parts(palette)[None, :, :]
    nearest: npt.NDArray[np.intp] = (apart**2).sum(axis=2).argmin(axis=1)
    return nearest.astype(np.uint8)


def _parts(colours: Pixels) -> npt.NDArray[np.uint8]:
    return np.stack([colours >> 16, colours >> 8, colours], axis=1).astype(np.uint8)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def main(folder: Path = PICTURES) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=LIMIT * 1000)
    with demo() as (address, link), chromium() as browser:
        login, story = sign_in(browser, address, link)
        Photographer(browser, address, login, story, datetime.now(UTC) + LOOKING_BACK, folder).take_all()


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
