"""What is said about CSS: what a browser would drop, and nothing about what is merely new or old."""

import time

import pytest

from longtable.checkers.css_text import check

FAULTS = [
    ("a {\n  color: red;\n", 1),
    ("a { color: red; }\n}\n", 2),
    ("a {\n  color red;\n}", 2),
    ("a {\n  color: red\n  margin: 0;\n}", 3),
    ("a {\n  color:: red;\n}", 2),
    ("a {\n  color: ;\n}", 2),
    ("a {\n  content: 'x;\n}", 2),
    ("a {}\n/* open\nb {}", 2),
    ("a..b { c: d }", 1),
    ("a,\n{ c: d }", 2),
    ("a { b: c }\n> { d: e }", 2),
    ("a { width: calc(1px + 2px; }", 1),
    ("a[href { b: c }", 1),
    ("@media (min-width: 1px { a { b: c } }", 1),
    ("$x: 1;\na { b: c }", 1),
    ("a { b: c; d }", 1),
    ("@keyframes a {\n  0% { b: c }\n  50 { b: d }\n}", 3),
    ("Here is the style:\n\n.a { b: c }", 3),
    (".a { b: c }\nAnd this is for links.\n\n.d { e: f }", 2),
]

FINE = [
    "",
    "a { &:hover { color: red } > b { c: d } .x & { e: f } @media print { g: h } }",
    "@layer a, b; @layer a { p { color: red } }",
    "@import url('x.css') layer(a) supports(display: grid) screen;",
    "@container card (min-width: 400px) { a { b: c } }",
    "a:has(> b):is(.x, :where(.y)):nth-child(2n + 1 of .z)::part(foo) { c: d }",
    ":root { --a: { b: c }; --d:; --e: [1, {f: g}]; --h: }",
    "@property --a { syntax: '<length>'; inherits: false; initial-value: 0px }",
    "a { color: color-mix(in oklch, red 50%, blue); width: calc(100% - (2 * var(--x, 10px))) }",
    "@media (400px <= width <= 700px) and (not (hover)) { a { b: c } }",
    "a { *zoom: 1; _height: 1px; width: 1px\\9; color: red !ie; filter: progid:DX.gradient(a='#8', b='#9'); }",
    "a { background: url(data:image/png;base64,iVBORw0KGgo=) no-repeat; content: '\\201C }' }",
    ".sm\\:w-1\\/2, .\\31 0 { a: b } /* { */",
    "@scope (.a) to (.b) { img { c: d } } @starting-style { a { opacity: 0 } }",
    "@font-face { font-family: x; src: url(a.woff2) format('woff2') } @page :first { margin: 1in }",
    '@import "tailwindcss" prefix(tw) source("../src"); @import "a" theme(static) layer(b) important;',
    '@-moz-document url("http://a/"),\n  domain(b.org) { c { d: e } }',
    "a/* : */{ b /* ; */ : c;; d: e }",
]


@pytest.mark.parametrize(("text", "line"), FAULTS)
def test_a_fault_is_an_error_where_it_starts(text: str, line: int) -> None:
    errors = check(text).errors

    assert (errors[0].code, errors[0].line) == ("SYNTAX_ERROR", line)


@pytest.mark.parametrize("text", FINE)
def test_css_old_and_new_is_accepted(text: str) -> None:
    assert check(text).errors == []


def test_what_is_nested_too_deeply_is_left_to_the_scan() -> None:
    report = check("a{" * 5_000 + "}" * 5_000)

    assert report.errors == []
    assert [warning.code for warning in report.warnings] == ["CHECKER_FAILED"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["a{" * 500_000, "(" * 1_000_000, "/*" * 500_000, '"' * 1_000_000, "url(" * 250_000, "\\" * 1_000_000]
)
def test_a_million_characters_are_answered_soon(text: str) -> None:
    started = time.process_time()

    assert check(text).errors

    assert time.process_time() - started < 10
