"""What languages forbid and their grammars let pass."""

import pytest

from longtable.checkers.treesitter import check

SCRIPT = [
    ("const a;", "'const a' has no value"),
    ("let { a };", "a pattern needs a value"),
    ("let a = 1;\nlet a = 2;", "'a' has already been declared"),
    ("let a;\n{\n  var a;\n}", "'a' has already been declared"),
    ("function f(a) { let a; }", "'a' has already been declared"),
    ('import { a } from "b";\nconst a = 1;', "'a' has already been declared"),
    ("class A {}\nclass A {}", "'A' has already been declared"),
    ("const f = (a, a) => a;", "'a' is the name of two parameters"),
    ("function f() { await g(); }", "'await' in a function that is not async"),
    ("function f() { for await (const a of b) {} }", "'for await' in a function that is not async"),
    ("function f() { yield a; }", "'yield' in a function that is not a generator"),
    ("return 1;", "'return' outside of a function"),
    ("if (a) break;", "'break' outside of a loop or switch"),
    ("switch (a) { case 1: continue; }", "'continue' outside of a loop"),
    ("for (;;) { break x; }", "there is no label 'x' around this 'break'"),
    ("const a = /b/gx;", "unknown flag 'x' of a regular expression"),
    ("const a = /b/gg;", "flags 'gg' of a regular expression do not go together"),
    ("f()++;", "'f()' cannot be assigned to"),
    ("a?.b = 1;", "'a?.b' cannot be assigned to"),
    ("a = b ?? c || d;", "'??' and '||' need parentheses when they are mixed"),
    ("a = -b ** 2;", "the left side of '**' needs parentheses"),
    ("function f(...a, b) {}", "nothing may follow a rest element"),
    ('function f() { import a from "b"; }', "'import' may only stand at the top level"),
    ("if (a) let b = 1;", "a declaration cannot be the only statement here; put it in braces"),
    ("class A { constructor() {} constructor() {} }", "a class has one constructor only"),
    ("const a = <b></c>;", "closing tag </c> does not match <b> (line 1)"),
    ("const a = { b: 1,, c: 2 };", "a comma with nothing before it"),
    ("const { a,, b } = c;", "a comma with nothing before it"),
    ("f(a, /* b */, c);", "a comma with nothing before it"),
    ("f(, a);", "a comma with nothing before it"),
    ("a && b = 1;", "'b = 1' needs parentheses after '&&'"),
    ("const a = b || () => c;", "'() => c' needs parentheses after '||'"),
    ("try {\n  a();\n}\nb();", "'try' needs a 'catch' or a 'finally'"),
    ("const a = \u2018b\u2019;", "'\u2018' cannot stand in a name"),
    ("class A { b() { return this.#c; } }", "no class around declares #c"),
    ("'use strict';\nfunction f(a, a) {}", "'a' is the name of two parameters"),
    ("```js\nconst a = 1;\n```\n", "a fence of Markdown is no part of the code"),
    ("const a = <b c={/* d */} />;", "an attribute needs a value"),
    ("const a = <b {c} />;", "an attribute in braces must be spread: {...value}"),
    ("const a = <b>\n<!-- c -->\n</b>;", "'<!--' is no comment in JSX; write {/* ... */}"),
]


@pytest.mark.parametrize(("text", "message"), SCRIPT)
def test_early_errors_of_javascript_are_found(text: str, message: str) -> None:
    assert [found.message for found in check("jsx", text).errors] == [message]


ALLOWED = [
    "var a; var a; function f() {} function f() {}",
    "let a; { let a; } function f() { let a; }",
    "function f(a) { var a; } function g(a, a) {}",
    "for (const a of b) {} for (const a in b) {} for (let i = 0; ;) { let i; }",
    "try {} catch (a) { var a; }",
    "const f = async () => { await a; const g = async function () { for await (const b of c); }; };",
    "await a; for await (const b of c) {}",
    "function f() { await (1); await[0]; }",
    "function f() { return; } const g = () => { return 1; }; class A { m() { return 2; } }",
    "x: for (;;) { for (;;) continue x; } y: { break y; } switch (a) { case 1: break; }",
    "const a = /[/]b/dgimsuy, b = /c/v; a = b / c / d;",
    "a.b = 1; a[0]++; (a) = 2; [a, b] = [b, a]; ({ a } = b); a?.b();",
    "a = (b ?? c) || d; a = (-b) ** 2; a = 2 ** -b;",
    "class A { constructor() {} static constructor() {} }",
    'export { default } from "a"; export { default as b } from "c"; a.default = a.class;',
    "if (a) { let b = 1; } else { let b = 2; } switch (c) { case 1: { let d; break; } case 2: { let d; } }",
    "const a = <b {...c} d={e}><></><f.g /></b>;",
    "const [a, , b] = [1, , 2,]; f(a, /* c */ b,); a && (b = 1); c = a || (() => b); d = a ? b : c = e;",
    "class A { #b; static #c() {} d(e) { return #b in e && (() => this.#b)() && class { f() { A.#c(); } }; } }",
    "const π = 1, $ = 2, \u212e = 3, 変数 = 4; const a = <p>\u2018b\u2019 — “c”</p>;",
    "try { a(); } catch { b(); } try { a(); } finally { b(); }",
    "const a = require('a');\nif (!a) return;\nmodule.exports = a;",
    "const a = tag```b`;",
]


@pytest.mark.parametrize("text", ALLOWED)
def test_what_looks_like_an_early_error_and_is_none_is_left_alone(text: str) -> None:
    assert check("jsx", text).errors == []


TYPED = [
    "declare const a: number; declare namespace B { const c: string; let d: number; }",
    "function f(a: string): void; function f(a: number): void; function f(a: any) {}",
    "interface A {} class A {} namespace A { export const b = 1; } enum E { A } enum E { B = 2 }",
    "import type { A } from 'a'; const A = 1; import { type B } from 'b'; const B = 2;",
    "class A { constructor(a: string); constructor(a: any) {} m(this: Window, b?: number) {} }",
]


@pytest.mark.parametrize("text", TYPED)
def test_declarations_that_typescript_merges_are_left_alone(text: str) -> None:
    assert check("ts", text).errors == []


@pytest.mark.parametrize("text", ["const f = <T>(a: T) => a;", "class A { f = <const T>(a: T) => a; }"])
def test_in_tsx_a_lone_type_parameter_is_a_tag(text: str) -> None:
    (found,) = check("tsx", text).errors

    assert "is read as a tag here" in found.message
    assert check("ts", text).errors == []


@pytest.mark.parametrize("parameters", ["<T,>", "<T, U>", "<T extends object>", "<T = string>"])
def test_in_tsx_other_type_parameters_are_fine(parameters: str) -> None:
    assert check("tsx", f"const f = {parameters}(a: T) => <b>{{a}}</b>;").errors == []


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
