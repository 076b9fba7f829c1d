"""Markdown. Every text is valid Markdown, so what is found is advice: all of it are warnings."""

import re
from collections.abc import Iterable
from itertools import chain, islice

from longtable.checkers import markdown_code, markdown_links, markdown_structure
from longtable.checkers.findings import ENOUGH, Finding, Report
from longtable.checkers.markdown_links import Links
from longtable.checkers.markdown_page import Page, read

CHECKER = "markdown-it"
MOST_BYTES = 524_288

_WORD = re.compile(r"\w[\w'-]*")


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
        markdown_structure.check_front_matter_end(page),
        markdown_structure.check_headings(page),
        markdown_structure.check_missing_blanks(page),
        markdown_structure.check_fences(page),
        markdown_structure.check_comments(page),
        markdown_structure.check_tables(page),
        markdown_structure.check_failed_tables(page),
        markdown_structure.check_lists(page),
        markdown_structure.check_tight_items(page),
        markdown_structure.check_emphasis(page),
        markdown_structure.check_mathematics(page),
        markdown_structure.check_elements(page),
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
