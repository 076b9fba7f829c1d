"""What is said about HTML: tags that are broken, left open or closed twice, and nothing about what HTML allows."""

import time

import pytest

from longtable.checkers.html_text import check

FAULTS = [
    ("<div>\n<p>x</p>\n", 1),
    ("<div>\n</div>\n</div>", 3),
    ("<b>\n<i>x</b></i>", 2),
    ("<h1>a\n</h2>", 2),
    ("<ul>\n<li>a\n</ol>", 3),
    ("<div>\n<p>x</p>\n<span>y\n</div>", 3),
    ("<a href='x>y</a>", 1),
    ('<p>\n<a href="x>y</a>\n\n\n<b class="z">q</b>', 2),
    ('<div class="a"id="b"></div>', 1),
    ('<div class=a"></div>', 1),
    ('<div class="a" CLASS="b"></div>', 1),
    ('<p>{{ a }}</p>\n<a href="x>y</a>\n<b class="z">q</b>', 2),
    ("<p>x</p>\n<div", 2),
    ("<div <p>x</p></div>", 1),
    ("<p>x</p", 1),
    ("<p>x</ p>", 1),
    ("<br></br>", 1),
    ("<p>x</p class='a'>", 1),
    ("x\n<!-- never closed\n<p>", 2),
    ("x\n<script>var a;\n</p>", 2),
    ("<textarea>x", 1),
    ("<svg><g></svg>", 1),
]

FINE = [
    "",
    "a < b && c > d, 1 <2",
    "<!DOCTYPE html><html><head><title>a <b></title><body><p>x",
    "<p>a<p>b<ul><li>c<li>d</ul>",
    "<ul><li><ul><li>a</ul><li>b</ul>",
    "<table><caption>x</caption><colgroup><col></colgroup><thead><tr><th>a<tbody><tr><td>b<td>c<tr><td><p>d</table>",
    "<dl><dt>a<dd>b<dt>c</dl>",
    "<select><optgroup label=x><option>a<option>b<optgroup label=y><option>c</select>",
    "<ruby>a<rp>(<rt>b<rp>)</ruby>",
    "<br><hr/><img src=x><input disabled value=x>",
    '<svg viewBox="0 0 1 1"><path d="M0"/><foreignObject><p>a<p>b</foreignObject></svg>',
    "<script>if (a<b) x = '</div>'</script><style>a>b{}</style>",
    "<!-- <div> --><!--[if IE]><p><![endif]-->",
    "<a href=x?a=b&c=d>l</a>",
    '<a\nhref="a>b"\nclass=\'it"s\'>z</a>',
    '<div @click="x" :class="{a:b}" #r *ngIf="y" [p]="z" (e)="w"></div>',
    "<my-card><template><td>x</td></template></my-card>",
    '<option {% if x %}selected="a"{% endif %}>{{ a < b }}</option>',
    '<a class="{{ b("c") }}" {% if d %}class="e"{% endif %} <% f %> ?g=${() => "h"}>i</a>',
    "<button><p>x</p></button>",
    "<body><p>x</body></html>",
    "<DIV></div >",
    "<a href=/docs/>a</a><div class=b/>c</div>",
    "<p>a</p>\n```\n<p>b</p>\n",
    "<p>&nbsp;&copy &amp;</p>",
]


@pytest.mark.parametrize(("text", "line"), FAULTS)
def test_a_fault_is_an_error_where_it_starts(text: str, line: int) -> None:
    errors = check(text).errors

    assert (errors[0].code, errors[0].line) == ("SYNTAX_ERROR", line)


@pytest.mark.parametrize("text", FINE)
def test_what_html_allows_is_accepted(text: str) -> None:
    assert check(text).errors == []


def test_an_end_tag_that_closes_nothing_is_blamed_once_for_what_it_left_open() -> None:
    messages = [error.message for error in check("<div>\n<p>x</p>\n</dvi>").errors]

    assert messages == ["</dvi> closes nothing; the innermost open element is <div>"]


@pytest.mark.parametrize("end", ['<li class="b', "<li", "<!-- b", "<script>b", "<textarea>"])
def test_what_the_rest_of_the_text_is_swallowed_by_is_blamed_alone(end: str) -> None:
    errors = check(f"<div>\n<ul>\n{end}\n</ul></div>").errors

    assert [error.line for error in errors] == [3]


def test_a_slash_that_html_does_not_know_is_a_warning() -> None:
    report = check("<div/><my-icon/>")

    assert report.errors == []
    assert [warning.code for warning in report.warnings] == ["STRUCTURE"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "<" * 1_000_000,
        "<a" * 500_000,
        "<a " * 300_000,
        "</a" * 300_000,
        "<b>" * 150_000 + "</b>" * 150_000,
        "<?" * 500_000,
        "<!--" * 250_000,
        '<a b="' * 150_000,
        "<<<<<<< \n" * 100_000,
        "<p>" * 300_000,
        "</" * 500_000,
    ],
)
def test_a_million_characters_are_answered_soon(text: str) -> None:
    started = time.process_time()

    assert len(check(text).errors) <= 101

    assert time.process_time() - started < 15
