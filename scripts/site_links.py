"""Follows every link of a built site, to its anchor."""

from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class PageLinks(HTMLParser):
    """What a page points to, what it loads, and what can be pointed to in it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attributes if value}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        self.targets += [given[name] for name in ("href", "src") if name in given]
        if tag in ("script", "img", "link", "iframe", "source"):
            self.loaded += [given[name] for name in ("href", "src") if name in given]


def links_of(site: Path) -> dict[Path, PageLinks]:
    """By page. That for addresses which do not exist is left out: it is shown at any of them."""
    return {path: PageLinks(path) for path in site.rglob("*.html") if path.name != "404.html"}


def dead_links(links: Mapping[Path, PageLinks]) -> list[str]:
    return [
        f"{page} -> {target}"
        for page, found in links.items()
        for target in found.targets
        if not _leads_somewhere(page, target, links)
    ]


def _leads_somewhere(page: Path, target: str, links: Mapping[Path, PageLinks]) -> bool:
    address = urlsplit(target)
    if address.scheme or address.netloc:
        return True
    file = (page.parent / unquote(address.path)).resolve() if address.path else page
    file = file / "index.html" if file.is_dir() else file
    has_anchor = not address.fragment or file not in links or unquote(address.fragment) in links[file].anchors
    return file.exists() and has_anchor
