"""Chromium as Debian packages it, and what its pages must never do."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, BrowserType, Dialog, Page, Request, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 800}
_NAMES = ("chromium", "chromium-browser", "google-chrome")
_HEADLESS_SHELL = "chromium-headless-shell"
FOREIGN = "elsewhere.test"
"""A name that is not this machine's, though it leads to it. No other name leads anywhere."""
_NO_NETWORK = [f"--host-resolver-rules=MAP {FOREIGN} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"]
_TELL_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`CSP ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
"""


def _find(*names: str) -> str:
    found = next((path for name in names if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("Chromium is not installed: 'make browser' installs it")
    return found


@contextmanager
def chromium() -> Iterator[Browser]:
    """Where it is installed, Chromium without the windows of a desktop, which takes half the processor time."""
    with sync_playwright() as playwright, _launched(playwright.chromium, _HEADLESS_SHELL, *_NAMES) as browser:
        yield browser


@contextmanager
def whole_chromium(beside: Browser) -> Iterator[Browser]:
    """As people have it, in the event loop of another browser."""
    with _launched(beside.browser_type, *_NAMES) as browser:
        yield browser


@contextmanager
def _launched(kind: BrowserType, *names: str) -> Iterator[Browser]:
    # As root, which containers often are, Chromium has no sandbox to start.
    arguments = [*_NO_NETWORK, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    browser = kind.launch(executable_path=_find(*names), args=arguments)
    try:
        yield browser
    finally:
        browser.close()


@dataclass
class WatchedWindow:
    """A person's browser window, and everything in it that nobody should ever see."""

    context: BrowserContext
    page: Page
    origin: str
    problems: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.context.add_init_script(_TELL_VIOLATIONS)
        self.context.on("request", self._note_request)
        self.watch(self.page)
        self.context.on("page", self.watch)

    def watch(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("console", lambda message: self._note(message.type, message.text))
        page.on("dialog", self._note_dialog)

    @property
    def left(self) -> list[str]:
        """Requests that went to another host."""
        return [address for address in self.requests if not address.startswith((self.origin, "data:", "blob:"))]

    def forgive(self, *words: str) -> None:
        """Drops what the test itself has caused, such as a server that was away."""
        self.problems = [problem for problem in self.problems if not any(word in problem for word in words)]

    def _note(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.problems.append(f"{kind}: {text}")

    def _note_dialog(self, dialog: Dialog) -> None:
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _note_request(self, request: Request) -> None:
        self.requests.append(request.url)


@contextmanager
def window(browser: Browser, address: str, state: Any = None, **options: Any) -> Iterator[WatchedWindow]:
    parts = urlsplit(address)
    settings = {"viewport": DESKTOP, "storage_state": state, **options}
    context = browser.new_context(base_url=address, **settings)
    try:
        yield WatchedWindow(context, context.new_page(), f"{parts.scheme}://{parts.netloc}")
    finally:
        context.close()


def accessibility_findings(page: Page) -> list[str]:
    """The serious and critical findings of axe, each with the elements that it is about."""
    page.evaluate(AXE.read_text("utf-8"))
    result = page.evaluate("axe.run({ resultTypes: ['violations'] })")
    return [
        f"{found['id']} ({found['impact']}): {node['html'][:200]}"
        for found in result["violations"]
        if found["impact"] in ("serious", "critical")
        for node in found["nodes"]
    ]
