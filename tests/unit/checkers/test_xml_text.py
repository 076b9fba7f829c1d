"""What is said about XML."""

import time

import pytest

from longtable.checkers.xml_text import check

FAULTS = [
    ("", 1),
    ("<a>\n<b>\n</a>", 3),
    ("<a>\n<b></b>\n\n", 2),
    ("<a b=1/>", 1),
    ('<a b="1"\n b="2"/>', 2),
    ("<a>&nbsp;</a>", 1),
    ("<a>x & y</a>", 1),
    ("<a/>\n<b/>", 2),
    ("<a>\n<![CDATA[x\n\n\n</a>", 2),
    ("<a><!-- x -- y --></a>", 1),
    (' <?xml version="1.0"?><a/>', 1),
    ('<a b="<"/>', 1),
    ("just text", 1),
]


@pytest.mark.parametrize(("text", "line"), FAULTS)
def test_a_fault_is_an_error_where_it_starts(text: str, line: int) -> None:
    assert [(error.code, error.line) for error in check(text).errors] == [("SYNTAX_ERROR", line)]


@pytest.mark.parametrize(
    "text",
    [
        "<a/>",
        '\ufeff<?xml version="1.0" encoding="utf-16"?><a>é</a>',
        '<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>',
        '<x:a xmlns:x="urn:x"><x:b y="&lt;"/></x:a>',
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd"><html>&nbsp;</html>',
        "<a><![CDATA[<b>]]></a>",
    ],
)
def test_well_formed_xml_is_accepted(text: str) -> None:
    assert check(text).errors == []


def test_an_element_that_is_not_closed_is_named_with_its_line() -> None:
    assert check("<a>\n<b>\n</a>").errors[0].message == "Mismatched tag: <b> of line 2 is not closed"


def test_a_prefix_that_nothing_declares_is_a_warning_since_some_programs_know_no_namespaces() -> None:
    report = check("<a>\n<p:b/></a>")

    assert report.errors == []
    assert [(warning.code, warning.line) for warning in report.warnings] == [("STRUCTURE", 2)]


def test_columns_count_characters() -> None:
    assert check("<a>éé<b c=1/></a>").errors[0].column == 11


def test_an_entity_bomb_is_refused() -> None:
    levels = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 10))

    errors = check(f'<!DOCTYPE a [<!ENTITY e0 "lol">{levels}]><a>&e9;</a>').errors

    assert "refused" in errors[0].message


def test_no_entity_is_loaded_from_a_file() -> None:
    report = check('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><a>&x;</a>')

    assert report.errors == []


@pytest.mark.slow
@pytest.mark.parametrize("text", ["<a>" * 300_000, "<" * 1_000_000, '<a b="' + "x" * 1_000_000])
def test_a_million_characters_are_answered_soon(text: str) -> None:
    started = time.process_time()

    assert len(check(text).errors) == 1

    assert time.process_time() - started < 7.5
