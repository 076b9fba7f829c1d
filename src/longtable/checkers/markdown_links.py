"""What is wrong with the links of a Markdown document. Only inside it: nothing is ever fetched."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from markdown_it.common.utils import normalizeReference

from longtable.checkers.findings import Finding
from longtable.checkers.markdown_page import Bracket, Page

LINK = "LINK"
STYLE = "STYLE"

_TARGET = re.compile(
    r"\(\s*(<[^<>\n]*>|(?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*\))*)"
    r"(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*\)"
)
_IMAGE_APART = re.compile(r"(?<!\S)! \[[^\[\]\n]*\]\([^()\s]+\)")
_LINK_APART = re.compile(
    r"(?<=\])(?<!\[[ xX]\]) \((?:https?://[^()\s]+|\.{0,2}/[^()\s]+|[\w/-]+\.(?:md|html?|pdf|png|jpe?g|gif|svg|webp))\)"
)
_BARE = re.compile(r"(?<![\w\"'=])https?://[^\s<>|\]`]+")
_FOOTNOTE = re.compile(r"\^(?!.-.\Z)[A-Za-z0-9_][\w.:-]*\Z")
_IDENTIFIER = re.compile(r"\b(?:id|name)\s*=\s*[\"']?([^\"'\s>]+)|\{#([\w:.-]+)")
_IMAGE_OR_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_ANCHORS_OF_OTHERS = re.compile(r"#(?:top|L\d+(?:-L?\d+)?|:~:.*)?\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MarkdownLink:
    """`end` is behind the last bracket; `target` is None for one that refers to a definition."""

    open: int
    end: int
    image: bool
    text: str
    target: str | None


@dataclass(slots=True)
class Links:
    """The links that hold, and what was found while they were looked for."""

    found: list[MarkdownLink]
    findings: list[Finding]
    used: set[str]


def read_links(page: Page) -> Links:
    pairs = page.brackets()
    links = Links([], [], set())
    labels = {pair.open: pair for pair in pairs}
    footnotes = {str(token.meta["label"]) for token, _, _ in page.blocks("footnote_reference_open")}
    seconds: set[int] = set()
    for pair in sorted(pairs, key=lambda pair: pair.open):
        if pair.open not in seconds:
            seconds |= _read(page, pair, labels.get(pair.close + 1), links, footnotes)
    return links


def _read(page: Page, pair: Bracket, next_one: Bracket | None, links: Links, footnotes: set[str]) -> set[int]:
    """Where the pair opens that belongs to this one, if one does."""
    text = _text(page, pair)
    follows = page.prose[pair.close + 1 : pair.close + 2]
    if text.startswith("^") and (follows != "(" or text[1:] in footnotes):
        _footnote(page, pair, links, footnotes)
    elif follows == "(":
        _inline(page, pair, links)
    elif follows == "[" and next_one is not None:
        return {next_one.open} if _reference(page, pair, next_one, links) else set()
    else:
        _shortcut(page, pair, links)
    return set()


def _inline(page: Page, pair: Bracket, links: Links) -> None:
    found = _TARGET.match(page.text, pair.close + 1)
    if found is not None:
        target = found.group(1).strip("<>")
        image = page.prose[pair.open - 1 : pair.open] == "!"
        links.found.append(MarkdownLink(pair.open, found.end(), image, _text(page, pair), target))
    elif _is_left_open(page, pair.close + 2):
        links.findings.append(page.at(pair.open, "The target of this link is not closed: ')' is missing", LINK))


def _is_left_open(page: Page, start: int) -> bool:
    end = page.prose.find("\n\n", start, start + 2000)
    rest = page.prose[start : end if end >= 0 else start + 2000]
    return ")" not in rest and not rest[:1].isspace() and rest != ""


def _reference(page: Page, pair: Bracket, label: Bracket, links: Links) -> bool:
    """False when the two pairs stand beside each other by chance, as in a[1][2]."""
    text = _text(page, pair)
    name = _text(page, label)
    if name.startswith("^"):
        _shortcut(page, pair, links)
        return False
    key = normalizeReference(name if name.strip() else text)
    if key in page.references:
        links.used.add(key)
        image = page.prose[pair.open - 1 : pair.open] == "!"
        links.found.append(MarkdownLink(pair.open, label.close + 1, image, text, None))
        return True
    before = page.prose[pair.open - 1 : pair.open]
    if before.isalnum() or before in ("_", "]", ")") or not text.strip():
        return False
    if normalizeReference(text) in page.references:
        return False
    links.findings.append(
        page.at(pair.open, f"The link refers to [{_short(name or text)}], which is not defined", LINK)
    )
    return True


def _shortcut(page: Page, pair: Bracket, links: Links) -> None:
    text = _text(page, pair)
    key = normalizeReference(text)
    if key in page.references:
        links.used.add(key)
        image = page.prose[pair.open - 1 : pair.open] == "!"
        links.found.append(MarkdownLink(pair.open, pair.close + 1, image, text, None))


def _footnote(page: Page, pair: Bracket, links: Links, footnotes: set[str]) -> None:
    text = _text(page, pair)
    if not _defines(page, pair):
        links.used.add(text)
    if _FOOTNOTE.match(text) and text[1:] not in footnotes:
        links.findings.append(page.at(pair.open, f"The footnote [{_short(text)}] is not defined", LINK))


def _defines(page: Page, pair: Bracket) -> bool:
    before = page.prose[page.prose.rfind("\n", 0, pair.open) + 1 : pair.open]
    return page.prose[pair.close + 1 : pair.close + 2] == ":" and not before.strip(" >")


def _text(page: Page, pair: Bracket) -> str:
    return page.text[pair.open + 1 : pair.close]


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def check_targets(page: Page, links: Links) -> Iterator[Finding]:
    anchors = _anchors(page) if any(map(_fragment, links.found)) else set()
    for link in links.found:
        if link.target is not None:
            yield from _check_target(page, link, anchors)
            yield from _check_text(page, link)


def _check_target(page: Page, link: MarkdownLink, anchors: set[str]) -> Iterator[Finding]:
    fragment = _fragment(link)
    if link.target in ("", "#"):
        yield page.at(link.open, f"The {'image' if link.image else 'link'} has no target", LINK)
    elif fragment and _anchor(fragment[1:]) not in anchors:
        yield page.at(link.open, f"No heading has the anchor {_short(fragment)}", LINK)


def _check_text(page: Page, link: MarkdownLink) -> Iterator[Finding]:
    if link.text.strip():
        return
    if not link.image:
        yield page.at(link.open, "The link has no text", LINK)
    elif link.target:
        yield page.at(link.open - 1, "The image has no text for those who do not see it", STYLE)


def _fragment(link: MarkdownLink) -> str:
    """The target with its `#` if it should be an anchor of this page, else nothing."""
    target = link.target or ""
    return target if target.startswith("#") and not _ANCHORS_OF_OTHERS.match(target) else ""


def _anchors(page: Page) -> set[str]:
    """The anchors of headings and of elements."""
    anchors = {_anchor(one or other) for one, other in _IDENTIFIER.findall(page.text)}
    seen: dict[str, int] = {}
    for before, token in zip(page.tokens, page.tokens[1:], strict=False):
        if before.type == "heading_open":
            title = _IMAGE_OR_LINK.sub(r"\1", token.content)
            slug = _anchor(title)
            count = seen[slug] = seen.get(slug, -1) + 1
            anchors |= {slug, f"{slug}-{count}"} if count else {slug}
    return anchors


def _anchor(text: str) -> str:
    """Sites differ in what they make of punctuation: it does not count, and any number of hyphens counts as one."""
    return re.sub(r"[\s_-]+", "-", re.sub(r"[^\w\s-]", "", unquote(text).lower())).strip("-")


def check_definitions(page: Page, links: Links) -> Iterator[Finding]:
    for duplicate in page.duplicates:
        yield page.at_line(duplicate["map"][0], f"[{_short(duplicate['label'].lower())}] is defined twice", LINK)
    for key, definition in page.references.items():
        row = definition["map"][0]
        if not definition["href"]:
            yield page.at_line(row, f"[{_short(key.lower())}] is defined without a target", LINK)
        # Definitions that nothing can refer to are a way to write comments.
        elif key not in links.used and definition["href"] != "#" and key not in ("//", "COMMENT"):
            yield page.at_line(row, f"[{_short(key.lower())}] is defined, but nothing refers to it", LINK)
    seen: set[str] = set()
    for token, first, _ in page.blocks("footnote_reference_open"):
        label = str(token.meta["label"])
        if label in seen:
            yield page.at_line(first, f"The footnote [^{_short(label)}] is defined twice", LINK)
        elif f"^{label}" not in links.used:
            yield page.at_line(first, f"The footnote [^{_short(label)}] is defined, but nothing refers to it", LINK)
        seen.add(label)


def check_slips(page: Page) -> Iterator[Finding]:
    for found in (*_IMAGE_APART.finditer(page.prose), *_LINK_APART.finditer(page.prose)):
        yield page.at(found.start(), "A blank keeps this from being a link: [text](target)", LINK)


def check_bare_addresses(page: Page, links: Links) -> Iterator[Finding]:
    """Not every renderer makes links of them, and none knows where one ends."""
    spans = sorted((link.open, link.end) for link in links.found)
    reach = 0
    ends = [reach := max(reach, end) for _, end in spans]
    for found in _BARE.finditer(page.prose):
        before = bisect_right(spans, (found.start(), 0))
        if not before or ends[before - 1] <= found.start():
            yield page.at(found.start(), "A bare address: write <address> or [text](address)", STYLE)
