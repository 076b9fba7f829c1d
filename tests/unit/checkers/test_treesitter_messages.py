"""What the tree-sitter checkers say about texts that are wrong, and where."""

import pytest

from longtable.checkers.findings import Finding
from longtable.checkers.treesitter import check


def error(language: str, text: str) -> Finding:
    errors = check(language, text).errors
    assert errors, f"nothing was found in {text!r}"
    return errors[0]


NEVER_CLOSED = [
    ("cs", "class A\n{\n    void F()\n    {\n    }\n", 5, "'{' opened at line 2 is never closed"),
    ("go", 'package main\n\nfunc main() {\n\tprintln("a")\n', 4, "'{' opened at line 3 is never closed"),
    ("rs", "fn main() {\n    f(1);\n", 2, "'{' opened at line 1 is never closed"),
]


@pytest.mark.parametrize(("language", "text", "line", "words"), NEVER_CLOSED)
def test_a_bracket_that_is_never_closed_is_named_with_its_line(language: str, text: str, line: int, words: str) -> None:
    found = error(language, text)

    assert found.line == line
    assert words in found.message


BEGINNINGS = [
    ("java", 'class A {\n  int n = 1;\n  String s = "abc;\n  int m = 2;\n}\n', 3, 14, "unterminated string"),
    ("lua", "local a = 'b\nlocal c = 'd'\n", 1, 11, "unterminated string"),
    ("cpp", 'int a;\nauto s = R"(abc\nint main() {}\n', 2, 10, "unterminated string"),
    ("rs", 'fn main() {\n    let a = "b;\n    let c = "d";\n}\n', 2, 13, "unterminated string"),
    ("c", "int a;\n/* a comment\nint b;\n", 2, 1, "unterminated comment"),
    ("rs", "/* a comment\nfn main() {}\n", 1, 1, "unterminated comment"),
    ("php", "<?php\n$a = <<<EOT\ntext\n", 2, 9, "unterminated here-document"),
    ("rs", "fn f() {\n    let a = 1\n    let b = 2;\n}\n", 2, 14, "missing ';' before 'let'"),
    ("kt", "class A(val b: Int\n\nfun f() {}\n", 1, 19, "'(' opened at line 1 is open"),
]


@pytest.mark.parametrize(("language", "text", "line", "column", "words"), BEGINNINGS)
def test_a_fault_is_reported_where_it_begins(language: str, text: str, line: int, column: int, words: str) -> None:
    found = error(language, text)

    assert (found.line, found.column) == (line, column)
    assert words in found.message


UNEXPECTED = [
    ("java", "class A { }\n}\n", "unexpected '}'; nothing is open that it could close"),
    ("php", "<?php\nforeach ($xs in $x) { }\n", "unexpected 'in'"),
    ("rb", "def a\n  1\nend\nend\n", "unexpected 'end'; nothing is open that it could belong to"),
]


@pytest.mark.parametrize(("language", "text", "message"), UNEXPECTED)
def test_the_message_says_what_was_found_and_what_was_expected(language: str, text: str, message: str) -> None:
    assert error(language, text).message.startswith(message)


def test_columns_count_characters_and_not_bytes() -> None:
    found = error("php", '<?php $größe = "äöü" "x";\n')

    assert (found.line, found.column) == (1, 22)


def test_a_byte_order_mark_and_windows_line_ends_change_nothing() -> None:
    assert check("cs", "\ufeff#if DEBUG\r\nclass A { }\r\n#endif\r\n").errors == []
    assert error("cs", "\ufeffclass A { }\r\n}\r\n").line == 2


def test_one_mistake_is_one_finding() -> None:
    text = "<?php\nfunction f( {\n  return [1, 2;\n}\nclass { )\n"

    assert len(check("php", text).errors) == 1


def test_the_checker_is_named_after_its_grammar() -> None:
    assert check("rs", "fn main() {}\n").checker == "tree-sitter-rust"
    assert check("cs", "class A { }\n").checker == "tree-sitter-c-sharp"
