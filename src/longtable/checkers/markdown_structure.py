"""What is wrong with the build of a Markdown document: headings, fences, comments, tables and lists."""

import re
from collections.abc import Iterator
from itertools import pairwise

from longtable.checkers.findings import Finding
from longtable.checkers.markdown_page import Page

STRUCTURE = "STRUCTURE"
STYLE = "STYLE"

_NO_BLANK = re.compile(r"^ {0,3}(#{1,6})([^\s#].*)", re.MULTILINE)
_DELIMITER = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\Z")
_CONTAINER = re.compile(r"[\s>]*")
_CELL_BORDER = re.compile(r"\\.|\|")
_SPACED_BOLD = re.compile(r"(?<!\S)(\*\*|__)[ \t]+([A-Za-z][^*_\n]*[A-Za-z.!?])[ \t]+\1(?![\w*])")
# Not the arguments of a function: **kwargs, **options.
_OPEN_BOLD = re.compile(
    r"(?<!\S)\*\*(?!\w*(?:args|kw|opts|options|params|config|settings|data)\b)[A-Za-z][^*\n]*(?:\Z|\n[ >\t]*(?:\n|\Z))"
)
_TIGHT_ITEM = re.compile(r"(?:[-+]|\*(?!.*\*)|\d+[.)])[A-Za-z]")
_MATH_FENCE = re.compile(r"^[ >\t]*\$\$[ \t]*$", re.MULTILINE)
_ELEMENT = re.compile(r"<(/?)(div|details|summary|table|pre|span|center|kbd|strong|sup|sub)\b([^<>]*)>", re.IGNORECASE)
_FIELD = re.compile(r"[A-Za-z_][\w-]*:(?:\s|\Z)")


def check_headings(page: Page) -> Iterator[Finding]:
    level = 0
    tops = [first for token, first, _ in page.blocks("heading_open") if token.tag == "h1"]
    parents: dict[int, str] = {}
    seen: set[tuple[object, ...]] = set()
    for index, token in enumerate(page.tokens):
        if token.type != "heading_open" or token.map is None:
            continue
        row, depth, title = token.map[0], int(token.tag[1]), page.tokens[index + 1].content.strip()
        if not title.strip("# "):
            yield page.at_line(row, "The heading is empty", STRUCTURE)
        if level and depth > level + 1:
            yield page.at_line(row, f"The heading jumps from level {level} to level {depth}", STRUCTURE)
        # Where there are many, they are chapters and none of them is the title.
        if len(tops) == 2 and row == tops[1]:
            yield page.at_line(row, "A second heading of level 1: the document has its title already", STYLE)
        parents = {above: name for above, name in parents.items() if above < depth}
        key = (depth, *sorted(parents.items()), title.lower())
        if title and key in seen:
            yield page.at_line(row, f"The heading {_short(title)} is there twice", STRUCTURE)
        seen.add(key)
        parents[depth] = title.lower()
        level = depth


def check_missing_blanks(page: Page) -> Iterator[Finding]:
    """`#Title` is a paragraph. One with a small letter or a digit may be a tag or the number of an issue."""
    for found in _NO_BLANK.finditer(page.prose):
        marks, rest = found.groups()
        if len(marks) == 1 and not (rest[0].isalpha() and not rest[0].islower()):
            continue
        if re.search(r"\s#\w", rest) or not re.match(r"[\w*`\"'(\[]", rest):
            continue
        yield page.at(found.start(1), f"A blank is missing after {marks}: this is no heading", STRUCTURE)


def check_fences(page: Page) -> Iterator[Finding]:
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


def check_comments(page: Page) -> Iterator[Finding]:
    for offset in page.open_comments:
        yield page.at(offset, "The comment is never closed: '-->' is missing", STRUCTURE)


def check_front_matter_end(page: Page) -> Iterator[Finding]:
    opens = page.lines[0].rstrip() == "---" and len(page.lines) > 1 and _FIELD.match(page.lines[1])
    if opens and not any(True for _ in page.blocks("front_matter")):
        yield page.at_line(0, "The front matter is never closed: a second '---' is missing", STRUCTURE)


def check_tables(page: Page) -> Iterator[Finding]:
    rows = {first for _, first, _ in page.blocks("tr_open")}
    for _, first, end in page.blocks("table_open"):
        width = _cells(page.lines[first])
        for row in range(first + 2, end):
            if row in rows and (cells := _cells(page.lines[row])) != width:
                yield page.at_line(row, f"The row has {_counted(cells)}, the table has {width}", STRUCTURE)


def check_failed_tables(page: Page) -> Iterator[Finding]:
    """Paragraphs that were meant as tables: the row below the header is wrong, or there is none."""
    for _, first, end in page.blocks("paragraph_open"):
        rows = [_CONTAINER.sub("", line, count=1) for line in page.lines[first:end]]
        for number, row in enumerate(rows[1:], 1):
            if "|" in row and "-" in row and _DELIMITER.match(row) and "|" in rows[number - 1]:
                cells, width = _cells(row), _cells(rows[number - 1])
                message = f"The row below the header has {_counted(cells)}, the header has {width}: this is no table"
                yield page.at_line(first + number, message, STRUCTURE)
                break
        else:
            if len(rows) > 1 and all(_is_framed(row) for row in rows):
                message = "This is no table: the row of dashes below its header is missing or wrong"
                yield page.at_line(first + 1, message, STRUCTURE)


def _is_framed(row: str) -> bool:
    row = row.strip()
    return len(row) > 2 and row.startswith("|") and row.endswith("|") and row.count("|") > 2


def _cells(row: str) -> int:
    row = _CONTAINER.sub("", row, count=1).rstrip()
    borders = [found.start() for found in _CELL_BORDER.finditer(row) if found.group() == "|"]
    outer = (row.startswith("|")) + (len(borders) > 1 and borders[-1] == len(row) - 1)
    return len(borders) + 1 - outer


def _counted(cells: int) -> str:
    return "1 cell" if cells == 1 else f"{cells} cells"


def check_lists(page: Page) -> Iterator[Finding]:
    """Items of one list that stand in different columns, and numbers that do not count up."""
    lists: list[tuple[bool, int | None, list[int]]] = []
    for token in page.tokens:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            lists.append((token.type[0] == "o", None, []))
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            lists.pop()
        elif token.type == "list_item_open" and token.map is not None and lists:
            ordered, column, numbers = lists[-1]
            row = token.map[0]
            if ordered:
                numbers.append(int(token.info))
                if not _counts_up(numbers[-3:]):
                    yield page.at_line(row, f"The number {token.info} is out of order: it will be another", STYLE)
                continue
            here = _column_of_marker(page.lines[row], token.markup)
            lists[-1] = (ordered, here if column is None else column, numbers)
            if column is not None and here is not None and here != column:
                yield page.at_line(row, "The item is not in line with the others of its list", STYLE)


def _counts_up(numbers: list[int]) -> bool:
    steps = {after - before for before, after in pairwise(numbers)}
    return steps <= {1} or steps <= {0}


def _column_of_marker(line: str, marker: str) -> int | None:
    """None where several lists open in one line: `- - a`."""
    prefix = re.match(r"[\s>]*", line)
    column = prefix.end() if prefix is not None else 0
    return column if line.startswith(marker, column) and not line[column + 1 :].lstrip().startswith(marker) else None


def check_emphasis(page: Page) -> Iterator[Finding]:
    for found in _SPACED_BOLD.finditer(page.prose):
        yield page.at(found.start(), f"Blanks inside {found.group(1)} keep the text from being bold", STYLE)
    for found in _OPEN_BOLD.finditer(page.prose):
        yield page.at(found.start(), "The bold text is never closed: '**' is missing", STYLE)
    for offset in page.stray_backticks:
        yield page.at(offset, "A backtick without its partner", STYLE)


def check_tight_items(page: Page) -> Iterator[Finding]:
    """Paragraphs that were meant as lists."""
    for _, first, end in page.blocks("paragraph_open"):
        rows = [_CONTAINER.sub("", line, count=1) for line in page.lines[first:end]]
        if len(rows) > 1 and all(_TIGHT_ITEM.match(row) for row in rows):
            yield page.at_line(first, "A blank is missing after the marks of these items: this is no list", STRUCTURE)


def check_mathematics(page: Page) -> Iterator[Finding]:
    fences = list(_MATH_FENCE.finditer(page.markup))
    if len(fences) % 2:
        yield page.at(fences[-1].start(), "The formula that $$ opens is never closed", STRUCTURE)


def check_elements(page: Page) -> Iterator[Finding]:
    """HTML that is opened and never closed, or closed and never opened; only elements that must be closed."""
    waiting: dict[str, list[int]] = {}
    for found in _ELEMENT.finditer(page.markup):
        closes, name, rest = found.group(1), found.group(2).lower(), found.group(3)
        if rest.endswith("/"):
            continue
        if not closes:
            waiting.setdefault(name, []).append(found.start())
        elif waiting.get(name):
            waiting[name].pop()
        else:
            yield page.at(found.start(), f"</{name}> closes what was never opened", STRUCTURE)
    for name, offsets in waiting.items():
        for offset in offsets:
            yield page.at(offset, f"<{name}> is never closed", STRUCTURE)


def _short(text: str) -> str:
    return f"'{text}'" if len(text) <= 60 else f"'{text[:57]}...'"
