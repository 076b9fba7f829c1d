"""The newest syntax of each language, and mistakes that its grammar takes for something else."""

import pytest

from longtable.checkers.treesitter import check

VALID = [
    ("cpp", 'struct A { explicit operator bool() const = delete; A(const A&) = delete("why"); };\n'),
    ("cpp", "int** a = new int*[4];\nusing B = decltype(c, d);\nunsigned e = unsigned(f) ^ unsigned((long)g);\n"),
    ("cpp", "template <Numeric T = int, auto N = 3uz> requires (N > 0) class A {};\nenum : unsigned { B, C };\n"),
    ("cpp", "template <class T, E<T>* = nullptr> void f(const void* /*a*/ = 0);\nusing A::b, A::c;\n"),
    ("cpp", "auto a = []<class T>(T x) static constexpr noexcept { return x ? throw 1 : 2; };\n"),
    ("cpp", "void f() { delete[] (char*) a; b->operator()(c); auto [d, ...e] = g; h(a < std::min<int>(b, c)); }\n"),
    ("cpp", "NAMESPACE_BEGIN(a)\ntypedef int (WINAPI *B)(int c);\nAPI v8::Local<C> d(int e);\nNAMESPACE_END(a)"),
    ("cpp", 'void f() { printf("%" PRIu64 "\\n", a); g(typename std::B<C...>(), D::template E<F>{}); }\n'),
    ("c", "void f(void) { g(va_arg(a, char *), container_of(b, struct c, d), offsetof(struct c, d.e[1])); }\n"),
    ("cpp", "NS_BEGIN\nnamespace a {\nclass B {\n  int c;\n};\n}\nNS_END\n"),
    ("cpp", "void t() { CHECK_THROWS_AS(f(), std::out_of_range&); }\n"),
    ("cpp", "template <class T> auto f(int x) { return typename T::value_type(x); }\n"),
    ("cs", 'var r = a switch { [var x, ..] when x.Length > 3 => x, [] => "", [.., var y] => y, _ => a[0] };\n'),
    ("swift", "func f() async throws {\n  for try await l in try h.lines {\n    print(l)\n  }\n}\n"),
    ("rs", "fn f() { m!(a ~= 3); let t = (#[cfg(a)] 1, 2); }\ntype T = (#[b] u8, u16);\n"),
    ("rs", 'extern "C" { pub unsafe static A: u8; }\ntype B = C<-1>;\nfn f() { str![["a"]]; }\n'),
    ("java", "import module java.base;\nclass A { A(int b) { check(b); super(b); c = 1__0; } }\n"),
    ("java", "class A { int f(Object o) { return switch (o) { case B _, C _ -> 1; case D(var e) -> 2; }; } }\n"),
    ("go", "package a\n\nvar (\n\tb = 1\n)"),
    ("go", "package a\n\nfunc f() {\n\tfor range b {\n\t}\n\tif x := -y; x > +z {\n\t}\n}"),
    ("rb", 'def greet(name) = puts "Hello #{name}"\nprivate def a = raise B, "c"\n'),
    ("rb", "a = b\n  && c\n  || d\ne = [f(1), -g, h { 1 }, :$,]\n"),
    ("php", "<?php\n(void) f();\n"),
    ("cs", "var a = b is [1, .., 2] or [..];\nc?[0] = 1;\nvar d = (ref e, out f) => { };\n"),
    ("cs", "class A { public void operator +=(int b) { } }\nstatic class C { extension<T>(T d) where T : E { } }\n"),
    ("kt", "class A\n@Inject\nprivate constructor(val b: Int) : C()\n\nannotation class D(val e: IntArray = [])\n"),
    ("kt", "val [a, b] = c\nval d = suspend { 1 }\nfun f() { g { override -> h(override) } ; i { [j, k] -> j } }\n"),
    ("kt", "class A {\n  val b: C<Int>\n    field = D(1)\n}\n"),
    ("kt", "fun f(a: Any) = a !is B && a !in c\nval d = '!'\nval e = a as C?\n\nval g = 1\n"),
    ("kt", '@A\n@B("1")\nclass C\n\n@A\n@B("1")\nprivate val d = 1\n'),
    ("swift", "let a: (_: Int, inout B, C...) -> Void = { _, _, _ in }\nfunc f() -> Any { return () as Any }\n"),
    ("swift", "protocol A { associatedtype B: C where B.D == E }\ntypealias F<G> = [G: H] where G: I\n"),
    ("swift", "func f() {\n  if await a.b {\n    c()\n    d()\n    e()\n    g()\n  } else { h() }\n}\n"),
    ("swift", "func f() {\n  if let a = try? b?.c {\n    d()\n  }\n\n\n\n  return e\n}\n"),
    ("swift", "func f() { do { try a() } catch B.c, B.d { } ; switch e { case .throw: g() ; default: h() } }\n"),
    (
        "lua",
        "local a <const>, b <close> = 1, nil\nfor i = 1, 2 do goto next ::next:: end\nlocal function f(a) a = 2 end\n",
    ),
    ("c", '#define STR(x) \\\n  #x\n#pragma once\n# 1 "a.c"\nint f(void) __nonnull ((1));\n'),
]


@pytest.mark.parametrize(("language", "text"), VALID)
def test_the_newest_syntax_is_known(language: str, text: str) -> None:
    assert check(language, text).errors == []


INVALID = [
    ("kt", "val a = b())\n\nfun c() { }\n", 1, "unexpected ')'"),
    ("kt", "fun f() {\n  val a = 3 4\n  g()\n}\n", 2, "unexpected '4'"),
    ("kt", 'val a = "b" "c"\nval d = 1\n', 1, "unexpected '\"c\"'"),
    ("kt", '@file:A("b")\n\nval a = """b"c""""\n\nclass D extends E\n', 5, "unexpected"),
    ("kt", "```kotlin\nval a = 1\n```\n", 1, "```kotlin"),
    ("go", "package a\n\nfunc f() {\n\tfor _, b := range c\n\t{\n\t}\n}\n", 4, "expected '{'"),
    ("cs", "var a = b.C()\n\na.D();\n", 1, "missing ';'"),
]


@pytest.mark.parametrize(("language", "text", "line", "message"), INVALID)
def test_a_mistake_is_found_on_its_line(language: str, text: str, line: int, message: str) -> None:
    errors = check(language, text).errors

    assert errors
    assert message in errors[0].message
    assert errors[0].line == line
