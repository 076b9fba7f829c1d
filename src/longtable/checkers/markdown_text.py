"""Markdown. Every text is valid Markdown, so what is found is advice: all of it are warnings."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice, pairwise
from typing import NamedTuple

from longtable.checkers import markdown_code, markdown_links
from longtable.checkers.findings import ENOUGH, Finding, Report
from longtable.checkers.markdown_links import Links
from longtable.checkers.markdown_page import Page, read

CHECKER = "markdown-it"
MOST_BYTES = 524_288
STRUCTURE = "STRUCTURE"
STYLE = "STYLE"

_WORD = re.compile(r"\w[\w'-]*")
_NO_BLANK = re.compile(r"^ {0,3}(#{1,6})([^\s#].*)", re.MULTILINE)
_CONTAINER = re.compile(r"[\s>]*")
_CELL_BORDER = re.compile(r"\\.|\|")
_FIELD = re.compile(r"[A-Za-z_][\w-]*:(?:\s|\Z)")


class _Heading(NamedTuple):
    row: int
    depth: int
    title: str


def check(text: str) -> Report:
    if len(text.encode(errors="surrogatepass")) > MOST_BYTES:
        return Report(reason=f"Markdown of more than {MOST_BYTES // 1024} KiB is not checked.")
    page = read(text)
    links = markdown_links.read_links(page)
    found = islice(_findings(page, links), ENOUGH * 20)
    ordered = sorted(found, key=lambda finding: (finding.line, finding.column))
    return Report(CHECKER, warnings=ordered, analysis=_counts(page, links))


def _findings(page: Page, links: Links) -> Iterable[Finding]:
    return chain(
        markdown_code.check_front_matter(page),
        _front_matter_end(page),
        _headings(page),
        _missing_blanks(page),
        _fences(page),
        _comments(page),
        _tables(page),
        links.findings,
        markdown_links.check_targets(page, links),
        markdown_links.check_definitions(page, links),
        markdown_links.check_slips(page),
        markdown_links.check_bare_addresses(page, links),
        markdown_code.check_code(page),
    )


def _counts(page: Page, links: Links) -> dict[str, int]:
    kinds = [token.type for token in page.tokens]
    return {
        "headings": kinds.count("heading_open"),
        "links": sum(not link.image for link in links.found),
        "images": sum(link.image for link in links.found),
        "code_blocks": kinds.count("fence") + kinds.count("code_block"),
        "tables": kinds.count("table_open"),
        "words": sum(1 for _ in _WORD.finditer(page.prose)),
    }


def _headings(page: Page) -> Iterator[Finding]:
    level = 0
    headings = list(_read_headings(page))
    second_title = _second_title(headings)
    for heading, is_repeated in zip(headings, _repetitions(headings), strict=True):
        row, depth, title = heading
        if not title.strip("# "):
            yield page.at_line(row, "The heading is empty", STRUCTURE)
        if level and depth > level + 1:
            yield page.at_line(row, f"The heading jumps from level {level} to level {depth}", STRUCTURE)
        if row == second_title:
            yield page.at_line(row, "A second heading of level 1: the document has its title already", STYLE)
        if is_repeated:
            yield page.at_line(row, f"The heading {_short(title)} is there twice", STRUCTURE)
        level = depth


def _read_headings(page: Page) -> Iterator[_Heading]:
    for token, content in pairwise(page.tokens):
        if token.type == "heading_open" and token.map is not None:
            yield _Heading(token.map[0], int(token.tag[1]), content.content.strip())


def _second_title(headings: list[_Heading]) -> int | None:
    """Its row. Where there are many headings of level 1, they are chapters and none of them is the title."""
    tops = [heading.row for heading in headings if heading.depth == 1]
    return tops[1] if len(tops) == 2 else None


def _repetitions(headings: list[_Heading]) -> Iterator[bool]:
    """For each heading, whether an equal one stands before it under the same headings."""
    parents: dict[int, str] = {}
    seen: set[tuple[object, ...]] = set()
    for heading in headings:
        name = heading.title.lower()
        parents = {above: parent for above, parent in parents.items() if above < heading.depth}
        key = (heading.depth, *sorted(parents.items()), name)
        yield heading.title != "" and key in seen
        seen.add(key)
        parents[heading.depth] = name


def _missing_blanks(page: Page) -> Iterator[Finding]:
    """`#Title` is a paragraph. One with a small letter or a digit may be a tag or the number of an issue."""
    for found in _NO_BLANK.finditer(page.prose):
        marks, rest = found.groups()
        if len(marks) == 1 and not (rest[0].isalpha() and not rest[0].islower()):
            continue
        if re.search(r"\s#\w", rest) or not re.match(r"[\w*`\"'(\[]", rest):
            continue
        yield page.at(found.start(1), f"A blank is missing after {marks}: this is no heading", STRUCTURE)


def _fences(page: Page) -> Iterator[Finding]:
    for token, first, end in page.blocks("fence"):
        closing = re.compile(re.escape(token.markup) + re.escape(token.markup[0]) + r"*\s*\Z")
        last = _CONTAINER.sub("", page.lines[end - 1], count=1)
        if end - 1 == first or not closing.match(last):
            yield page.at_line(first, f"The code that {token.markup} opens is never closed", STRUCTURE)
        elif token.info.split(" ")[0].lower() not in ("md", "markdown", "mdx"):
            inner = re.search(rf"^ {{0,3}}{re.escape(token.markup)}\w+\s*$", token.content, re.MULTILINE)
            if inner is not None:
                row = first + 2 + token.content.count("\n", 0, inner.start())
                message = f"The code that {token.markup} opens is not closed before the next one opens in line {row}"
                yield page.at_line(first, message, STRUCTURE)


def _comments(page: Page) -> Iterator[Finding]:
    for offset in page.open_comments:
        yield page.at(offset, "The comment is never closed: '-->' is missing", STRUCTURE)


def _front_matter_end(page: Page) -> Iterator[Finding]:
    opens = page.lines[0].rstrip() == "---" and len(page.lines) > 1 and _FIELD.match(page.lines[1])
    if opens and not any(True for _ in page.blocks("front_matter")):
        yield page.at_line(0, "The front matter is never closed: a second '---' is missing", STRUCTURE)


def _tables(page: Page) -> Iterator[Finding]:
    rows = {first for _, first, _ in page.blocks("tr_open")}
    for _, first, end in page.blocks("table_open"):
        width = _cells(page.lines[first])
        for row in range(first + 2, end):
            if row in rows and (cells := _cells(page.lines[row])) != width:
                yield page.at_line(row, f"The row has {cells} cells, the table has {width}", STRUCTURE)


def _cells(row: str) -> int:
    row = _CONTAINER.sub("", row, count=1).rstrip()
    borders = [found.start() for found in _CELL_BORDER.finditer(row) if found.group() == "|"]
    outer = (row.startswith("|")) + (len(borders) > 1 and borders[-1] == len(row) - 1)
    return len(borders) + 1 - outer


def _short(text: str) -> str:
    return f"'{text}'" if len(text) <= 60 else f"'{text[:57]}...'"
