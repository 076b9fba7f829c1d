"""What is said about Markdown: each defect on its line, and nothing about a document that is in order."""

import time

import pytest

from longtable.checkers.findings import Report
from longtable.checkers.markdown_text import MOST_BYTES, check

DEFECTS = {
    "an undefined reference": ("See [the guide][guide].\n", 1, "LINK"),
    "an undefined collapsed reference": ("a\n\nSee [guide][] now.\n", 3, "LINK"),
    "an undefined image": ("![logo][missing]\n", 1, "LINK"),
    "an undefined footnote": ("It is so.[^1]\n\n[^2]: Not that.\n", 1, "LINK"),
    "an anchor without heading": ("# One\n\nSee [two](#two).\n", 3, "LINK"),
    "an empty target": ("a [link]() here\n", 1, "LINK"),
    "an empty target of an image": ("![a]()\n", 1, "LINK"),
    "a target that is only a hash": ("[a](#)\n", 1, "LINK"),
    "a link without text": ("a [](https://example.org) here\n", 1, "LINK"),
    "a link whose target is not closed": ("a\n\nSee [guide](https://example.org/a for more.\n", 3, "LINK"),
    "a definition given twice": ("[a]\n\n[a]: https://one.example\n[A]: https://two.example\n", 4, "LINK"),
    "a footnote given twice": ("x[^1]\n\n[^1]: one\n\n[^1]: two\n", 5, "LINK"),
    "a footnote that is not used": ("text\n\n[^1]: one\n", 3, "LINK"),
    "tags that are not closed in code": ("```html\n<div><b>x</div>\n```\n", 2, "SYNTAX_ERROR"),
    "a definition that is not used": ("text\n\n[a]: https://one.example\n", 3, "LINK"),
    "a definition without target": ("[a]\n\n[a]: <>\n", 3, "LINK"),
    "a bare address": ("Look at https://example.org/path now.\n", 1, "STYLE"),
    "a bare address in a list": ("# A\n\n- one\n- see http://example.org\n", 4, "STYLE"),
    "an image without text": ("a\n\n![](picture.png)\n", 3, "STYLE"),
    "a jump of headings": ("# One\n\ntext\n\n### Three\n", 5, "STRUCTURE"),
    "a heading that is there twice": ("# A\n\n## Setup\n\n## Use\n\n## Setup\n", 7, "STRUCTURE"),
    "an empty heading": ("# A\n\n##\n\ntext\n", 3, "STRUCTURE"),
    "a second title": ("# A\n\ntext\n\n# B\n", 5, "STYLE"),
    "a heading without blank": ("#Title\n\ntext\n", 1, "STRUCTURE"),
    "a deeper heading without blank": ("# A\n\n##setup\n", 3, "STRUCTURE"),
    "a fence that is not closed": ("text\n\n```\ncode\n\nmore\n", 3, "STRUCTURE"),
    "a fence of tildes that is not closed": ("~~~\ncode\n", 1, "STRUCTURE"),
    "a fence closed by too few marks": ("````\ncode\n```\n", 1, "STRUCTURE"),
    "a fence that runs into the next": ("```txt\na\n\ntext\n\n```txt\nb\n```\n", 1, "STRUCTURE"),
    "a comment that is not closed": ("text\n\n<!-- note\n\nmore\n", 3, "STRUCTURE"),
    "a comment in a line that is not closed": ("text <!-- note\n", 1, "STRUCTURE"),
    "a row with too few cells": ("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 |\n", 4, "STRUCTURE"),
    "a row with too many cells": ("a | b\n--|--\n1 | 2 | 3\n", 3, "STRUCTURE"),
    "a blank before a target": ("See [the page] (page.md).\n", 1, "LINK"),
    "a blank after the mark of an image": ("a\n\n! [a](b.png)\n", 3, "LINK"),
    "front matter that is not closed": ("---\ntitle: a\n\n# A\n", 1, "STRUCTURE"),
    "front matter that is no YAML": ("---\ntitle: [a\nb: c\n---\n\ntext\n", 3, "SYNTAX_ERROR"),
    "a key twice in front matter": ("---\na: 1\na: 2\n---\n", 3, "DUPLICATE_KEY"),
    "code that is wrong": ('text\n\n```json\n{"a": 1,}\n```\n', 4, "SYNTAX_ERROR"),
    "Python that is wrong": ("```python\ndef f(:\n    pass\n```\n", 2, "SYNTAX_ERROR"),
    "JavaScript that is wrong": ("```js\nlet a = 1;\n\nfunction f( }\n```\n", 4, "SYNTAX_ERROR"),
    "code that is wrong inside a list": ("- item\n\n  ```js\n  let a = ;\n  ```\n", 4, "SYNTAX_ERROR"),
    "Windows line ends": ("# One\r\n\r\n### Three\r\n", 3, "STRUCTURE"),
}

CLEAN = {
    "nothing": "",
    "prose": "Just a line, with an array[0][1], a regex [^a-z] and 2 ** 3 ** 4.\n",
    "lists": "- [ ] open\n- [x] done\n  - nested\n    1. one\n    2. two\n\n1. a\n1. b\n1. c\n",
    "links": (
        "# Links\n\n[a](https://example.org 'title') [b][ref] [ref] <https://example.org> [top](#links)\n"
        "[![badge](badge.svg)](https://example.org) [c](a_(b).md) `[no][link]` \\[no\\]\\[link\\]\n\n"
        "[https://example.org](https://example.org) [d](<with blanks.md>)\n\n"
        "[ref]: https://example.org\n[//]: # (a comment)\n"
    ),
    "anchors": (
        '# What is it?\n\n## Using `code` & more\n\n<a id="here"></a>\n\n[1](#what-is-it) [2](#using-code--more)\n'
        "[3](#here) [4](#Using-code-more)\n"
    ),
    "footnotes": "One.[^1] Two.[^note]\n\n[^1]: First.\n[^note]: Second\n    goes on.\n",
    "footnotes in a row": "One.[^1][^a-b]\n\n> Two [x][^q](y)\n\n[^1]: First, see[^q]\n[^a-b]: Second.\n[^q]: Third.\n",
    "what is to be filled in": "```sh\ncp <source> <target> (\n```\n",
    "changelog": "# Changes\n\n## 2.0\n\n### Added\n\n- a\n\n## 1.0\n\n### Added\n\n- b\n",
    "tables": "| a | b |\n|:--|--:|\n| 1 | x \\| y |\n\na | b\n--|--\n1 | 2\n\n> | q |\n> |---|\n> | 1 |\n",
    "code": "```\n[a][b] https://example.org #Title\n```\n\n    indented [a][b]\n\n~~~text\n```\n~~~\n",
    "code of a language": '```json\n{"a": [1, 2]}\n```\n\n```js\nlet a = 1;\n```\n\n```console\n$ ls\n```\n',
    "lines of a function": "```py\nreturn await call()\n```\n\n```js\nreturn 1;\n```\n",
    "declarations": "```css\ncolor: red;\nmargin: 0 auto;\n```\n",
    "alternatives": "```js\nconst a = 1;\n// or\nconst a = 2;\n\nconst a = 3;\n```\n",
    "a session": "```py\n>>> a = (1 +\n... 2)\n3\n```\n",
    "an excerpt": '```json\n{\n  "a": 1,\n  ...\n}\n```\n',
    "html": "<details>\n<summary>More</summary>\n\ntext<br>\n\n</details>\n\n<!-- a\n\ncomment -->\n\n`<div>`\n",
    "front matter": "---\ntitle: A\ntags: [a, b]\n---\n\n# A\n",
    "a rule and a setext heading": "Title\n=====\n\ntext\n\n---\n\nPart\n----\n\n***\n",
    "tags and numbers": "#todo later\n\n#123 is fixed\n\n#Tag #Other\n",
    "bold": "**Bold** and __bold__ and *it*, pass **kwargs, ``a ` b``.\n",
    "near misses": "- [x] (done)\n- [ ] [a] (see below)\n\n*a* b\n*c* d\n\n-1 and\n-v are options\n",
    "formulas": "$$\na_1[2][3] = b\n$$\n",
    "mathematics": "Let $a[i][j] = b$ and cost $5.\n",
    "nested fences": "````md\n```py\nx\n```\n````\n",
    "chapters": "# One\n\na\n\n# Two\n\nb\n\n# Three\n\nc\n",
}


def spots(report: Report) -> list[tuple[int, str]]:
    return [(warning.line, warning.code) for warning in report.warnings]


@pytest.mark.parametrize(("text", "line", "code"), DEFECTS.values(), ids=DEFECTS)
def test_a_defect_is_found_on_its_line(text: str, line: int, code: str) -> None:
    report = check(text)

    assert (line, code) in spots(report)
    assert report.errors == []


@pytest.mark.parametrize("text", CLEAN.values(), ids=CLEAN)
def test_a_document_in_order_gets_no_warning(text: str) -> None:
    report = check(text)

    assert [(warning.line, warning.message) for warning in report.warnings] == []
    assert report.checker == "markdown-it"


def test_the_column_is_that_of_the_place_in_the_document() -> None:
    report = check("text\n\n> See [the guide][guide].\n")

    assert [(warning.line, warning.column) for warning in report.warnings] == [(3, 7)]


def test_a_finding_in_code_is_moved_to_its_place_in_the_document() -> None:
    report = check('- item\n\n  ```json\n  {"a": 1}\n  ```\n\n  ```json\n  {"a": 1,}\n  ```\n')

    assert [(warning.line, warning.column) for warning in report.warnings] == [(8, 10)]


def test_findings_come_in_the_order_of_the_document() -> None:
    report = check("# A\n\n[v][w]\n\n### B\n\n[x][y]\n")

    assert [warning.line for warning in report.warnings] == [3, 5, 7]


def test_a_document_is_counted() -> None:
    report = check("# A b\n\n[c](d.md) ![e](f.png)\n\n```\ng\n```\n\n| h |\n|---|\n| i |\n")

    assert report.analysis == {"headings": 1, "links": 1, "images": 1, "code_blocks": 1, "tables": 1, "words": 10}


def test_a_document_that_is_too_large_is_not_checked() -> None:
    report = check("a" * (MOST_BYTES + 1))

    assert report.checker is None
    assert "512 KiB" in str(report.reason)


SHAPES = [
    "[",
    "[]",
    "[a](",
    "![",
    "[a][",
    "`a``b",
    "<!-- ",
    "<a ",
    "**A ",
    "> ",
    "- ",
    "\\`",
    "$a ",
    "|",
    "(a)[",
    "#A\n",
]
SHAPES += [
    "[a]: b\n",
    "[a\n",
    "[^a]",
    "[^a]: b\n",
    "# a\n",
    "- a\n",
    "1. a\n",
    "|a|\n|-|\n",
    "```js\nlet a;\n```\n",
    "<div>",
]


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES, ids=repr)
def test_no_shape_of_text_makes_the_time_grow_faster_than_the_text(shape: str) -> None:
    text = (shape * MOST_BYTES)[: MOST_BYTES // 4]

    begun = time.process_time()
    check(text)

    assert time.process_time() - begun < 15
