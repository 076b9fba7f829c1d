"""The pages of the documentation in their order, from docs/navigation.toml: for the site, and as llms.txt."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
FILE = DOCS / "navigation.toml"

_FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_NO_PROSE = re.compile(r"[#|<>!*-]|\d+\. |Accepted|Superseded")
_LLMS = """\
# Longtable

> The shared table of a team of AI agents: an MCP server for notes, a plan, a draft, questions to people, messages, \
notebooks, search and events, with REST, a command line and a live console. It runs on an embedded store or PostgreSQL.

An agent begins with the tool `brief`. The site (`make docs-site`) has all pages in one text, llms-full.txt.
"""


@dataclass(frozen=True)
class DocumentPage:
    path: Path

    @property
    def text(self) -> str:
        return self.path.read_text("utf-8")

    @property
    def title(self) -> str:
        found = re.search(r"^# (.+)$", _FENCED.sub("", self.text), re.MULTILINE)
        assert found, f"{self.path} has no title"
        return found[1].replace("`", "")

    @property
    def in_repository(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @property
    def place(self) -> str:
        """Where it is in the site, from its root on."""
        if not self.path.is_relative_to(DOCS):
            return f"{self.path.stem.lower()}.md"
        inside = self.path.relative_to(DOCS)
        return inside.with_name("index.md").as_posix() if inside.name == "README.md" else inside.as_posix()

    @property
    def about(self) -> str:
        """The first sentence of the page."""
        blocks = _FENCED.sub("", self.text).split("\n\n")
        prose = next((block for block in blocks if block.strip() and not _NO_PROSE.match(block.strip())), "")
        words = _LINK.sub(r"\1", " ".join(prose.split()))
        return re.split(r"(?<=[.?!]) ", words)[0].rstrip(":")


@dataclass(frozen=True)
class Group:
    title: str
    pages: tuple[DocumentPage, ...]


@dataclass(frozen=True)
class SiteSection:
    title: str
    pages: tuple[DocumentPage, ...]
    groups: tuple[Group, ...]

    @property
    def all_pages(self) -> tuple[DocumentPage, ...]:
        return (*self.pages, *(page for group in self.groups for page in group.pages))


@cache
def sections() -> tuple[SiteSection, ...]:
    given = tomllib.loads(FILE.read_text("utf-8"))["section"]
    named = {path for part in _parts(given) for path in _named(part)}
    return tuple(
        SiteSection(
            part["title"],
            _pages(part, named),
            tuple(Group(group["title"], _pages(group, named)) for group in part.get("group", ())),
        )
        for part in given
    )


def pages() -> tuple[DocumentPage, ...]:
    return tuple(page for section in sections() for page in section.all_pages)


def _parts(given: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for part in given:
        yield part
        yield from part.get("group", ())


def _named(part: Mapping[str, Any]) -> list[Path]:
    return [(DOCS / name).resolve() for name in part.get("pages", ())]


def _pages(part: Mapping[str, Any], named: set[Path]) -> tuple[DocumentPage, ...]:
    rest = sorted(set((DOCS / part["rest"]).resolve().glob("*.md")) - named) if "rest" in part else []
    return tuple(DocumentPage(path) for path in (*_named(part), *rest))


def llms_index(address: Callable[[DocumentPage], str]) -> str:
    """What a model reads first: one line for each page. https://llmstxt.org says how such a file looks."""
    parts = [_LLMS]
    for section in sections():
        title = "Optional" if section.title == "Project" else section.title
        lines = [f"- [{page.title}]({address(page)}): {page.about}" for page in section.all_pages]
        parts.append("\n".join([f"## {title}\n", *lines]) + "\n")
    return "\n".join(parts)
