"""Mistakes that the grammars let pass."""

import pytest

from longtable.checkers.treesitter import check

OTHERS = [
    ("java", "class A { int default = 3; }", "'default' is a reserved word"),
    ("java", "class A { char c = 'ab'; }", "holds more than one character"),
    ("java", "class A { foo() { } }", "'foo' has no return type"),
    ("rs", "fn main() { let match = 3; }", "'match' is a reserved word"),
    ("rs", "fn main() { }\n#[derive(Debug)]\n", "nothing follows that this attribute could belong to"),
    ("go", "package a\n\nx := 1\n", "a statement outside of a function"),
    ("go", 'package a\n\nvar b int\n\nimport "c"\n', "imports must come before other declarations"),
    ("go", "package a\n\nvar b = []int{\n\t1,\n\t2\n}\n", "missing ',' before the end of the line"),
    ("c", "int f(int n) {\n  if (n) n = 1; n = 2;\n  else n = 3;\n}\n", "'else' is a reserved word"),
    ("c", "int f(void) { return 0; }\nreturn 1;\n", "a statement outside of a function"),
    ("c", "int a;\n#endif\n", "#endif without #if"),
    ("c", "#ifdef A\nint a;\n", "#if is never ended by #endif"),
    ("cpp", "clas Point {\npublic:\n  int x;\n};\n", "unexpected '{' after 'clas Point'"),
    ("lua", "if a then\n  break\nend\n", "'break' outside of a loop"),
    ("rb", "def a(b, b)\nend\n", "'b' is the name of two parameters"),
    ("php", "<?php\nfunction f() {\n  use A\\B;\n}\n", "'use' may only stand at the top level"),
    ("swift", "let func = 3\n", "'func' is a reserved word"),
    ("cs", "class A { int event = 3; }", "'event' is a reserved word"),
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
