"""Mistakes that the grammars let pass."""

import pytest

from longtable.checkers.treesitter import check

OTHERS = [
    ("go", "package a\n\nx := 1\n", "a statement outside of a function"),
    ("go", "package a\n\nvar b = []int{\n\t1,\n\t2\n}\n", "missing ',' before the end of the line"),
    ("c", "int a;\n#endif\n", "#endif without #if"),
    ("c", "#ifdef A\nint a;\n", "#if is never ended by #endif"),
]


@pytest.mark.parametrize(("language", "text", "message"), OTHERS)
def test_mistakes_that_the_grammars_of_other_languages_miss_are_found(language: str, text: str, message: str) -> None:
    errors = check(language, text).errors

    assert errors
    assert message in errors[0].message


FRAGMENTS = [
    ("go", "x := 5\nfmt.Println(x)\n"),
    ("c", "int n = 0;\nfor (int i = 0; i < 3; i++) { n += i; }\n"),
    ("java", 'List<String> names = List.of("a");\nfor (String n : names) { System.out.println(n); }\n'),
    ("cs", 'using System;\nConsole.WriteLine("hi");\n'),
]


@pytest.mark.parametrize(("language", "text"), FRAGMENTS)
def test_a_fragment_of_a_program_is_fine(language: str, text: str) -> None:
    assert check(language, text).errors == []
