"""Code inside a Markdown document: fenced blocks of a known language, and the front matter. Findings are advice."""

import re
import time
from collections.abc import Iterator
from dataclasses import replace

from markdown_it.token import Token

from longtable.checkers import by_language
from longtable.checkers.findings import Finding
from longtable.checkers.languages import LANGUAGES
from longtable.checkers.markdown_page import Page

MOST_BLOCKS = 100
MOST_EXAMPLES = 20
MOST_SECONDS = 2.0
"""A document may hold thousands of blocks, and some checkers start a program for each."""

_ALIASES = {
    "python": "py",
    "python3": "py",
    "javascript": "js",
    "mjs": "js",
    "typescript": "ts",
    "rust": "rs",
    "bash": "sh",
    "shell": "sh",
    "zsh": "sh",
    "c++": "cpp",
    "cc": "cpp",
    "golang": "go",
    "ruby": "rb",
    "csharp": "cs",
    "c#": "cs",
    "kotlin": "kt",
}
_UNCHECKED = ("md", "txt")
_ADVISED = ("sql",)
"""Their checkers know no errors, only warnings."""
_SCRIPTS = ("js", "jsx", "ts", "tsx")
_BETWEEN = re.compile(r"^[ \t]*(?://.*)?\n", re.MULTILINE)
_LEFT_OUT = re.compile(r"^\s*(?:[#/*-]{1,2}\s*)?(?:\.\.\.|…)|[\[{(,:]\s*(?:\.\.\.|…)|\{\{", re.MULTILINE)
_TO_FILL_IN = re.compile(r"<[a-z][\w -]*>")
_WITH_TAGS = ("html", "htm", "xml", "jsx", "tsx")
_PROMPT = re.compile(r"^\s*(?:>>> |\$ |PS> |In \[\d+\])", re.MULTILINE)


def check_front_matter(page: Page) -> Iterator[Finding]:
    for token, first, _ in page.blocks("front_matter"):
        report = by_language.check("yaml", token.content)
        for finding in (*report.errors, *report.warnings):
            yield _moved(finding, first + 1, 0)


def check_code(page: Page) -> Iterator[Finding]:
    deadline = time.monotonic() + MOST_SECONDS
    blocks = ((token, first, language) for token, first, _ in page.blocks("fence") if (language := _language(token)))
    for count, (token, first, language) in enumerate(blocks):
        if count == MOST_BLOCKS or time.monotonic() > deadline:
            return
        try:
            found = _problems(language, token.content)
        except Exception:  # noqa: BLE001 - a block that breaks its checker says nothing about the document
            continue
        for finding in found:
            in_block = replace(finding, message=f"In this {language}: {finding.message}")
            yield _moved(in_block, first + 1, _indent(page, token, first, finding.line))


def _language(token: Token) -> str | None:
    """Also of `{.python title=x}` and `js {1,3}`."""
    word = re.match(r"\{?\.?([\w+#-]*)", token.info.strip().lower())
    name = word.group(1) if word is not None else ""
    language = _ALIASES.get(name, name)
    return language if language in LANGUAGES and language not in _UNCHECKED else None


def _problems(language: str, text: str) -> list[Finding]:
    """An excerpt need not be neat. One that shows a prompt, or that leaves something out, is no text of its language
    and does not mean to be."""
    if not text.strip() or _PROMPT.search(text):
        return []
    report = by_language.check(language, text)
    errors = report.errors + [each for each in report.warnings if language in _ADVISED or each.code == "DUPLICATE_KEY"]
    if not errors or _leaves_out(language, text) or _is_excerpt(language, text):
        return []
    return errors


def _leaves_out(language: str, text: str) -> bool:
    return bool(_LEFT_OUT.search(text) or (language not in _WITH_TAGS and _TO_FILL_IN.search(text)))


def _is_excerpt(language: str, text: str) -> bool:
    """Lines out of a function are right inside one. Examples beside each other, which may all declare the same name,
    are right one by one."""
    if language == "py":
        inside = "async def _():\n" + re.sub(r"^(?=.*\S)", "    ", text, flags=re.MULTILINE)
        return not by_language.check(language, inside).errors
    if language == "css":
        return "{" not in text and not by_language.check(language, f"a {{\n{text}\n}}").errors
    if language in _SCRIPTS:
        examples = [part for part in _BETWEEN.split(text) if part.strip()]
        return len(examples) <= MOST_EXAMPLES and all(_is_right_inside(language, example) for example in examples)
    return False


def _is_right_inside(language: str, text: str) -> bool:
    return not by_language.check(language, f"async function _() {{\n{text}\n}}").errors


def _indent(page: Page, token: Token, first: int, line: int) -> int:
    """How far the block is moved to the right in the document, by the line that is meant."""
    row = first + line
    content = token.content.split("\n")
    if not 0 < line <= len(content) or row >= len(page.lines) or not content[line - 1]:
        return 0
    return max(page.lines[row].find(content[line - 1]), 0)


def _moved(finding: Finding, rows: int, columns: int) -> Finding:
    end_line = finding.end_line + rows if finding.end_line is not None else None
    end_column = finding.end_column + columns if finding.end_column is not None else None
    return replace(
        finding,
        line=finding.line + rows,
        column=finding.column + columns,
        end_line=end_line,
        end_column=end_column,
    )
