"""JavaScript and TypeScript, which a real parser reads: what is allowed is accepted, what is forbidden is placed."""

import os
from pathlib import Path

import pytest

from longtable.checkers import script_text
from longtable.checkers.script_text import check

VALID = [
    ("jsx", 'const a = <label for="b" class="c">d</label>;\n'),
    ("jsx", "const a = <B default if={1} new class={`c`} render={() => <p in='d' />} />;\n"),
    ("jsx", 'const a = (\n  <b onClick={() => { c(d < e); f(); }} class="g" />\n);\n'),
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
    ("ts", 'export type * from "./a";\nexport type * as b from "./b";\n'),
    ("ts", "interface A<in out T, out U = never> { a: T; b: U }\n"),
    ("ts", "using a = f();\nasync function g() { await using b = await h(); for (using c of d) {} }\n"),
    ("ts", "function f<const T extends readonly unknown[]>(a: T) {}\nconst a = { b: 1 } satisfies C;\n"),
    ("ts", "class A { accessor b = 1; @c accessor d = 2; static accessor e = 3 }\nexport default abstract class {}\n"),
    ("ts", 'type A = import("b").C<string>["d"];\nconst a = sql<User>`select ${b}`;\n'),
    ("tsx", "const f = <T,>(a: T) => <b>{a as any} & more</b>;\n"),
    ("jsx", 'const a = <p>this & that, it\'s "fine"</p>;\n'),
    ("jsx", "const a = <a href=\"/b?c=1&d=2\" title='R&D'>{e} Q&A, x && y & z&</a>;\n"),
    ("tsx", 'type A = { b: 1 } & C<D> & { e: 2 };\nconst a = <a href="/b?c=1&d=2">Q&A; R&D {e} & {f}</a>;\n'),
    ("jsx", "const a = <this.props.b><this.c d /></this.props.b>;\n"),
    ("js", "const a = String.raw`C:\\users\\x ${b} \\1`;\nclass A { accessor b = 1; static accessor c }\n"),
    ("js", 'import defer * as a from "b";\nimport source c from "d";\n'),
    ("ts", "let as = 1;\ntype A = { [K in keyof readonly any[]]? : B };\nlet f: ({ a }?: C) => void;\n"),
    ("ts", 'export import A = require("b");\ndeclare module "c" {\n  global {\n    var d: 1;\n  }\n}\n'),
    ("ts", "export default function (a: number): string;\n"),
    ("ts", "export default function f(a: number): string;\nexport default function f(a: any) { return a }\n"),
]
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
TYPED = [
    "declare const a: number; declare namespace B { const c: string; let d: number; }",
    "function f(a: string): void; function f(a: number): void; function f(a: any) {}",
    "interface A {} class A {} namespace A { export const b = 1; } enum E { A } enum E { B = 2 }",
    "import type { A } from 'a'; const A = 1; import { type B } from 'b'; const B = 2;",
    "class A { constructor(a: string); constructor(a: any) {} m(this: Window, b?: number) {} }",
]


@pytest.mark.parametrize(
    ("language", "text"), [*VALID, *(("jsx", text) for text in ALLOWED), *(("ts", text) for text in TYPED)]
)
def test_what_the_language_allows_is_accepted(language: str, text: str) -> None:
    report = check(language, text)

    assert (report.errors, report.warnings) == ([], [])


INVALID = [
    ("js", "const class = 1;", 1),
    ("jsx", 'const a = <b />;\nconst class="c";', 2),
    ("js", 'import { a as class } from "b";', 1),
    ("js", "class A { constructor() { super(); } }", 1),
    ("js", "function f() { super.a(); }", 1),
    ("js", "const a = { get b(c) { return c } };", 1),
    ("js", "class A { set b() {} }", 1),
    ("js", "export default a;\nexport default function b() {}", 2),
    ("js", "export function f() { return await (g()); }", 1),
    ("ts", "function f(a?: number = 3) {}", 1),
    ("jsx", "const a;", 1),
    ("jsx", "let { a };", 1),
    ("jsx", "let a = 1;\nlet a = 2;", 2),
    ("jsx", "let a;\n{\n  var a;\n}", 3),
    ("jsx", "function f(a) { let a; }", 1),
    ("jsx", 'import { a } from "b";\nconst a = 1;', 2),
    ("jsx", "class A {}\nclass A {}", 2),
    ("jsx", "const f = (a, a) => a;", 1),
    ("jsx", "function f() { await g(); }", 1),
    ("jsx", "function f() { for await (const a of b) {} }", 1),
    ("jsx", "function f() { yield a; }", 1),
    ("jsx", "if (a) break;", 1),
    ("jsx", "switch (a) { case 1: continue; }", 1),
    ("jsx", "for (;;) { break x; }", 1),
    ("jsx", "const a = /b/gx;", 1),
    ("jsx", "const a = /b/gg;", 1),
    ("jsx", "f()++;", 1),
    ("jsx", "a?.b = 1;", 1),
    ("jsx", "a = b ?? c || d;", 1),
    ("jsx", "a = -b ** 2;", 1),
    ("jsx", "function f(...a, b) {}", 1),
    ("jsx", 'function f() { import a from "b"; }', 1),
    ("jsx", "if (a) let b = 1;", 1),
    ("jsx", "class A { constructor() {} constructor() {} }", 1),
    ("jsx", "const a = <b></c>;", 1),
    ("jsx", "const a = { b: 1,, c: 2 };", 1),
    ("jsx", "const { a,, b } = c;", 1),
    ("jsx", "f(a, /* b */, c);", 1),
    ("jsx", "f(, a);", 1),
    ("jsx", "a && b = 1;", 1),
    ("jsx", "const a = b || () => c;", 1),
    ("jsx", "try {\n  a();\n}\nb();", 3),
    ("jsx", "const a = \u2018b\u2019;", 1),
    ("jsx", "class A { b() { return this.#c; } }", 1),
    ("jsx", "'use strict';\nfunction f(a, a) {}", 2),
    ("jsx", "const a = <b c={/* d */} />;", 1),
    ("jsx", "const a = <b {c} />;", 1),
]


@pytest.mark.parametrize(("language", "text", "line"), INVALID)
def test_what_it_forbids_is_told_on_its_line(language: str, text: str, line: int) -> None:
    assert check(language, text).errors[0].line == line


PLACES = [
    ("js", "const a = 1;\nconst b = `abc;\nconst c = 2;\n", 2, 11, "Unterminated string"),
    ("js", "function f() {\n  if (a) {\n    b();\n}\n", 4, 2, "Expected `}` but found `EOF`; opened here: line 1"),
    ("js", "const a = [1, 2);\n", 1, 16, "Expected `,` or `]` but found `)`; opened here: line 1"),
    ("tsx", "const a = (\n  <h1>a</h1>\n  <p>b</p>\n);\n", 3, 3, "Adjacent JSX elements must be wrapped"),
    ("ts", "interface A {\n  a: 1;\n\nexport const b = 2;\n", 4, 1, "'export' modifier cannot appear"),
    ("js", 'const größe = "äöü" 1;\n', 1, 20, "Expected a semicolon"),
    ("js", "\ufefflet a =\r\n;\r\n", 2, 1, "Unexpected ';'"),
]


@pytest.mark.parametrize(("language", "text", "line", "column", "words"), PLACES)
def test_a_fault_has_its_place_and_its_words(language: str, text: str, line: int, column: int, words: str) -> None:
    found = check(language, text).errors[0]

    assert (found.line, found.column) == (line, column)
    assert found.message.startswith(words)


def test_a_declaration_file_is_known_by_its_name() -> None:
    text = "export const version: string;\n"

    assert check("ts", text).errors == []
    assert check("ts", text, "version.d.ts").errors == []
    assert check("ts", text, "version.ts").errors != []


@pytest.mark.parametrize("text", ["(" * 4096, "a<" * 50_000])
def test_a_text_that_is_too_deep_for_the_parser_is_not_called_wrong(text: str) -> None:
    report = check("ts", text)

    assert (report.errors, [found.code for found in report.warnings]) == ([], ["CHECKER_FAILED"])


@pytest.mark.parametrize("text", ["", "\n", "\0" * 100, "let a = '\ud800';", "é" * 1000, "\r\r\r", "\ufeff"])
def test_odd_texts_are_survived(text: str) -> None:
    assert [found.code for found in check("js", text).warnings] == []


def test_without_the_parser_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script_text, "find_oxlint", lambda: None)

    report = check("js", "let a = ;")

    assert (report.checker, report.errors, report.reason) == (None, [], "Not checked: oxlint is not installed.")


def test_what_a_killed_worker_left_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left, under_way = tmp_path / "longtable-cell-a", tmp_path / "longtable-cell-b"
    for folder in (left, under_way):
        folder.mkdir()
        (folder / "cell.js").write_text("let a;")
    os.utime(left, (0, 0))
    monkeypatch.setattr(script_text, "_MEMORY", tmp_path)
    script_text._swept_folder.cache_clear()

    assert check("js", "let a;").errors == []

    script_text._swept_folder.cache_clear()
    assert list(tmp_path.iterdir()) == [under_way]
