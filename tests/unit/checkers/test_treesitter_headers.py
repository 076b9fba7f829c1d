"""Headers of C and C++: what their guards enclose is checked, and their macros are not held against them."""

import pytest

from longtable.checkers.treesitter import check

GUARDS = ["#ifndef A_H\n#define A_H\n", "#if !defined(A_H)\n#define A_H 1\n", "#ifndef A_H\n// once\n#define A_H\n"]


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize("language", ["h", "hpp"])
def test_a_fault_inside_of_a_guard_is_found(language: str, guard: str) -> None:
    text = guard + "int f(int a;\nint g(void);\n#endif\n"

    errors = check(language, text).errors

    assert [finding.line for finding in errors] == [guard.count("\n") + 1]


@pytest.mark.parametrize(
    "line",
    [
        "A_API char *f(int a);",
        "extern A_API int f(int a);",
        "A_EXPORT(void) f(int a);",
        "int f(int a) A_NONNULL(1);",
        "__checked int f(int a);",
        "#define A_B 1 /* a comment that\n * doesn't end here */",
    ],
)
def test_macros_of_other_headers_are_fine(line: str) -> None:
    text = "#ifndef A_H\n#define A_H\n" + f"{line}\n" * 20 + "#endif\n"

    assert check("h", text).errors == []


@pytest.mark.parametrize(
    "line",
    [
        "int f(z_const unsigned char **buf);",
        "externalref WidgetClass compositeWidgetClass;",
        "pg_noreturn extern void IoWorkerMain(const void *data);",
        "POPULATE_DOC(doc = doc;)",
        'PyTypeObject t = {\n  PyVarObject_HEAD_INIT(NULL, 0)\n  "a.b",\n  sizeof(a), 0,\n};',
    ],
)
def test_what_a_macro_of_another_header_could_explain_is_no_error(line: str) -> None:
    assert check("hpp", f"#include <a.h>\n\n{line}\nint g(void);\n").errors == []


@pytest.mark.parametrize("line", ["cnost char *a = b;", "int a = = 1;", "int f(int a, , int b);"])
def test_what_no_macro_explains_is_an_error(line: str) -> None:
    assert [found.line for found in check("c", f"#include <a.h>\n\n{line}\nint g(void);\n").errors] == [3]


def test_an_include_whose_name_is_not_closed_is_found() -> None:
    errors = check("c", '#include <stdio.h>\n#include "a.h\nint x;\n').errors

    assert [finding.line for finding in errors] == [2]


@pytest.mark.parametrize("call", ['f("a" PRIu64 "b", x);', 'f("a" PRIu64, x);', 'f("a" version);'])
def test_a_macro_may_stand_for_a_part_of_a_string(call: str) -> None:
    text = f'#define  version "1"\nvoid g(void) {{ {call} }}\n'

    assert check("c", text).errors == []


def test_an_argument_may_be_empty_braces_by_default() -> None:
    assert check("hpp", "#pragma once\nPass *\nmake_pass(Options options = {});\n").errors == []


def test_where_the_preprocessor_makes_the_program_doubts_are_warnings_and_open_brackets_errors() -> None:
    text = "".join(f"#ifdef HAS_{n}\n#define USE_{n} 1\n#endif\n" for n in range(6))

    unknown = check("h", text + "int f z_const w_const g(int a);\n")
    unclosed = check("h", text + "int f(void) {\n  return 1;\n")

    assert (unknown.errors, [finding.line for finding in unknown.warnings]) == ([], [19])
    assert unclosed.errors
