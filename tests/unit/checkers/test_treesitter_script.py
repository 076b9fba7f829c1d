"""JavaScript and TypeScript where keywords are names, and what classes and modules forbid."""

import pytest

from longtable.checkers.treesitter import check

VALID = [
    ("jsx", 'const a = <label for="b" class="c">d</label>;\n'),
    ("jsx", "const a = <B default if={1} new class={`c`} render={() => <p in='d' />} />;\n"),
    ("jsx", 'const a = (\n  <b onClick={() => { c(d < e); f(); }} class="g" />\n);\n'),
    ("jsx", "".join(f'const a{n} = <b class="c">d</b>;\n' for n in range(40))),
    ("js", "const a = 1, b = 2;\nexport { a as null, /* { */ b as class };\n"),
    ("js", 'import { null as a, default as b } from "c";\nexport * as new from "d";\n'),
    ("js", 'export { a } from "./b.json" with { type: "json" };\nexport * from "c" with { type: "json" }\n'),
    (
        "js",
        "class A extends B { constructor() { super(); (() => super.c())(); } d = super.e; static { super.f(); } }\n",
    ),
    (
        "js",
        "const a = { b() { return super.toString(); }, get c() { return 1 }, set c(d) {}, get() {}, set(e, f) {} };\n",
    ),
    ("js", "class A extends B { 'constructor'() { super(); } get = 1; set = 2 }\n"),
    ("js", "function f() { return a * yield; }\n"),
    ("ts", 'type A = import("b", { with: { "resolution-mode": "import" } }).C<string>;\n'),
    ("ts", "type A<B extends string> = `Install \\`${B}\\` first`;\n"),
    ("ts", "const a = b?.c<number>?.(1);\n"),
    ("ts", "class A { get b(this: A): number { return 1 } }\nfunction f(a?: number, b = 3) {}\n"),
    ("ts", "export default interface A {}\nexport default function f() {}\n"),
]
INVALID = [
    ("js", "const class = 1;", "unexpected 'class'"),
    ("jsx", 'const a = <b />;\nconst class="c";', "unexpected 'class'"),
    ("js", 'import { a as class } from "b";', "unexpected 'class'; expected a name"),
    (
        "js",
        "class A { constructor() { super(); } }",
        "'super()' outside of the constructor of a class that extends another",
    ),
    ("js", "function f() { super.a(); }", "'super' outside of a method"),
    ("js", "const a = { get b(c) { return c } };", "a getter has no parameters"),
    ("js", "class A { set b() {} }", "a setter has one parameter"),
    ("js", "export default a;\nexport default function b() {}", "a second 'export default'"),
    ("js", "function f() { yield `a`; }", "'yield' in a function that is not a generator"),
    ("js", "export function f() { return await (g()); }", "'await' in a function that is not async"),
    ("ts", "function f(a?: number = 3) {}", "a parameter with a default is optional by that: either '?' or a value"),
]


@pytest.mark.parametrize(("language", "text"), VALID)
def test_what_the_language_allows_is_accepted(language: str, text: str) -> None:
    report = check(language, text)

    assert (report.errors, report.warnings) == ([], [])


@pytest.mark.parametrize(("language", "text", "message"), INVALID)
def test_what_it_forbids_is_told(language: str, text: str, message: str) -> None:
    assert [found.message for found in check(language, text).errors] == [message]
