"""Good code of today is never called bad, also where the grammars lag behind the languages."""

import pytest

from longtable.checkers.treesitter import check

MODERN = [
    ("rs", 'unsafe extern "C" { pub safe fn f(a: i32) -> i32; }\n'),
    ("rs", "fn f() { let Some(a) = b else { return }; if let Some(c) = d && c > 1 { } let e = async |x: i32| x; }\n"),
    ("rs", "struct A<T>(T) where T: Send;\nmacro_rules! m { ($a:ident ~ $b:ty) => { $a }; }\n"),
    ("c", "enum a : unsigned char { B, C };\nauto d = 0b10'01u;\n_BitInt(7) e;\n_Atomic(int) f;\n"),
    ("c", "struct a { unsigned b : 1, : 3; unsigned : 0; };\n_Thread_local static int c;\n"),
    ("cpp", "template class A<int>;\nextern template struct B<char>;\n"),
    ("cpp", "struct A { auto&& get(this auto&& self) { return self.a; } int b : 3 = 1; };\n"),
    ("cpp", "int f() { if consteval { return 1; } else { return 2; } }\nint A::*p = &A::x;\nvoid (A::*q)(int);\n"),
    ("cpp", "module;\nexport module a:b;\nimport std;\nexport namespace c { int d(); }\nmodule :private;\n"),
    ("cs", 'class A(int b) { int[] c = [1, .. d]; string e = """\n  "f"\n  """; int G { get => field; } }\n'),
    ("cs", "static class A { extension(string s) { public int B => s.Length; } }\n"),
    ("java", "sealed interface A permits B {}\nrecord B(int c) implements A { B { } }\n"),
    (
        "java",
        "class A { int f(Object o) { return switch (o) { case B(var c) when c > 1 -> 1; case null, default -> 2; }; "
        "} }\n",
    ),
    ("go", "package a\n\nfunc f[T ~int | string](s []T) { for i := range 10 { _ = i }; for range s { } }\n"),
    ("go", "package a\n\nconst ( A = iota; B )\n"),
    (
        "rb",
        "case { a: [1, b] }\nin { a: [Integer => c, *] } if c > 0 then c\nend\ndef f(x) = x * 2\ndef g(...) = h(...)\n",
    ),
    (
        "php",
        "<?php\nclass A { public string $b { get => $this->c; set(string $d) { $this->c = $d; } } "
        "public private(set) int $e; }\n",
    ),
    ("kt", "fun f(a: Any) = when (a) {\n  is String if a.length > 3 -> 1\n  else -> 2\n}\n"),
    ("kt", "context(a: A)\nfun f() { }\n\nenum class B { C { override fun d() = 1 } }\n"),
    ("swift", "let a = if b { 1 } else { 2 }\nstruct C: ~Copyable { consuming func d() { } }\n"),
    ("swift", "actor A { isolated deinit { } }\nfunc f() throws(E) { g(()) }\nlet b = #c(1)\n"),
    ("lua", "local a <const> = 7 // 2\ngoto b\n::b::\nlocal c = 'd\\\ne'\n"),
]


@pytest.mark.parametrize(("language", "text"), MODERN)
def test_new_syntax_is_known(language: str, text: str) -> None:
    assert check(language, text).errors == []


MACROS = [
    "void f() { LIB_TRY {\n  auto r = g(a, b);\n  return r; }\n  LIB_CATCH(...) {} }\n",
    'void f() { EXPECT_MSG(throw error(""), error, ""); g(throw error("x"), 1); }\n',
    'TEST(a, b) { LIB_TRY { auto c = 1; }\n  EXPECT_THAT(d, "e")\n      << "f"; }\n',
    'TEST_CASE("a") {\n  run();\n\n  BENCHMARK("b")(Chronometer meter) {\n    std::vector<int> c;\n  };\n}\n',
    'TYPED_TEST( "a", float, double ) { static constexpr FP b = c<FP>::d(); CHECK( e( FP{}, -FP{} ) ); }\n',
    "struct A { A( B const& b, const char* const = nullptr ): b(b) {} };\n",
    "void f(void) {\n  g();\n  forboth(a, b->c, d, e->f)\n  {\n    g(a);\n  }\n}\n",
    "lib_unused() static void f(void)\n{ }\n",
    "lib_nodiscard static heap *\nadd(heap *a, item b)\n{ return a; }\n",
    "static lib_always_inline uint64\nhash(uint64 a)\n{ return a; }\n",
    "#define X(n) n,\n#define LIST X(A) X(B)\nenum e { LIST COUNT };\n",
    "#define EACH(i, n) for (int i = 0; i < (n); i++)\nvoid f(void) { EACH(i, 3) { g(i); } EACH(j, 3) g(j); }\n",
    "#define VEC(T) typedef struct { T *data; } vec_##T;\nVEC(int)\nVEC(char)\n",
    "int f(int a) {\n  if (a\n#ifdef B\n      && b\n#endif\n  ) { return 1; }\n  return 0;\n}\n",
    "#if A\nvoid f(void) {\n#else\nvoid f(int a) {\n#endif\n}\n",
    '#ifdef __cplusplus\nextern "C" {\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif\n',
    "API_EXPORT int f(char *a UNUSED);\nBOOL WINAPI g(DWORD a) { return 0; }\nint __init h(void) { return 0; }\n",
    'TEST_CASE("a", "[b]") {\n  REQUIRE(c == d);\n  SECTION("e") { CHECK(f); }\n}\n',
    "static DEFINE_MUTEX(lock);\nSYSCALL_DEFINE2(foo, int, a, int, b) { return 0; }\nMODULE_INFO(a)\nint c;\n",
    "class A_EXPORT B : public C {\n  Q_OBJECT\n  Q_PROPERTY(int d READ d)\n"
    "public slots:\n  void e();\nsignals:\n  void f();\n};\n",
]


@pytest.mark.parametrize("text", MACROS)
def test_macros_and_conditionals_of_c_are_followed_or_forgiven(text: str) -> None:
    assert check("cpp", text).errors == []


def test_a_mistake_beside_macros_is_still_found() -> None:
    text = "#define MAX(a, b) ((a) > (b) ? (a) : (b))\n\nint f(int a) {\n  int b = MAX(a, 2;\n  return b;\n}\n"

    assert [found.line for found in check("c", text).errors] == [4]


def test_what_only_an_unknown_macro_could_explain_is_a_warning() -> None:
    report = check("c", "int main(void) { return f(a, BAD_CAST b, c); }\n")

    assert report.errors == []
    assert [found.code for found in report.warnings] == ["SYNTAX_ERROR"]


@pytest.mark.parametrize("text", ["namespace a { class B { public: B(); }; }\n", "struct a { int b; };\n"])
def test_a_header_may_be_c_or_cpp(text: str) -> None:
    assert check("h", text).errors == []
