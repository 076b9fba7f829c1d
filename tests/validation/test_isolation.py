"""Hostile cells: each is answered in time, without much memory, without network, and the next one is checked."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from longtable.checkers.languages import LANGUAGES
from longtable.kernel.errors import ValidationTimeout
from longtable.validation.model import ValidationResult
from longtable.validation.service import SharedSchema, Validation, ValidationLimits
from tests.validation.watching import HANGING_SCHEMA, MIB, cell, check_text, letting_others_work, most_resident

pytestmark = pytest.mark.slow

SECONDS = 3.0
LIMIT = ValidationLimits().seconds
SLACK = 5

CHECKERS = [language for language in LANGUAGES if language not in ("yml", "htm", "jsx", "tsx", "h", "hpp")]
"""One language of each checker."""

SAMPLES = {
    "py": "def add(a, b):\n" + "    a = a + b\n" * 50 + "    return a\n\n",
    "js": "function add(a, b) { return a + b; }\n",
    "ts": "{ const add = (a: number, b: number): number => a + b; }\n",
    "tsx": "{ const a = (b: string) => <p>{b}</p>; }\n",
    "jsx": "{ const a = (b) => <p>{b}</p>; }\n",
    "rs": "fn add(a: i32, b: i32) -> i32 { a + b }\n",
    "c": "int add(int a, int b) { return a + b; }\n",
    "h": "int add(int a, int b);\n",
    "cpp": "int add(int a, int b) { return a + b; }\n",
    "hpp": "int add(int a, int b);\n",
    "sh": "if true; then echo yes; fi\n",
    "css": "a { color: red; }\n",
    "html": "<p>text</p>\n",
    "htm": "<p>text</p>\n",
    "java": "class A { int add(int a, int b) { return a + b; } }\n",
    "go": "func add(a int, b int) int { return a + b }\n",
    "rb": "def add(a, b)\n  a + b\nend\n",
    "php": "<?php function add($a, $b) { return $a + $b; } ?>\n",
    "cs": "class A { int Add(int a, int b) { return a + b; } }\n",
    "sql": "SELECT a, b FROM c WHERE d = 1;\n",
    "kt": "fun add(a: Int, b: Int): Int { return a + b }\n",
    "swift": "func add(a: Int, b: Int) -> Int { return a + b }\n",
    "lua": "function add(a, b) return a + b end\n",
    "yaml": "- {a: 1, b: [c, d]}\n",
    "yml": "- {a: 1, b: [c, d]}\n",
    "toml": "[[a]]\nb = 1\n",
    "xml": "<!-- text -->\n",
    "md": "Some text with a [link](a.md).\n\n",
    "txt": "text\n",
    "json": "[1, 2, 3],\n",
}

FRAMES = {"json": ("[", "0]"), "xml": ("<a>", "</a>")}

LAUGHS = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40))
MERGES = "a0: &a0 {k: v}\n" + "".join(f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}\n" for n in range(1, 40))
ENTITIES = (
    '<!DOCTYPE a [<!ENTITY b0 "x">'
    + "".join(f'<!ENTITY b{n} "&b{n - 1};&b{n - 1};&b{n - 1};">' for n in range(1, 40))
    + "]><a>&b39;</a>"
)
NESTED = 100_000

HOSTILE = {
    "alias bomb": ("yaml", LAUGHS),
    "merge bomb": ("yaml", MERGES),
    "alias of itself": ("yaml", "&a [*a]"),
    "entity bomb": ("xml", ENTITIES),
    "external entity": ("xml", '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'),
    **{f"nested brackets in {language}": (language, "[" * NESTED) for language in CHECKERS},
    **{
        f"nested parentheses in {language}": (language, "(" * NESTED + ")" * NESTED) for language in ("py", "js", "cpp")
    },
    "nested objects": ("json", '{"a":' * NESTED),
    "nested lists": ("yaml", "- " * NESTED),
    "nested elements": ("xml", "<a>" * NESTED),
    "nested tags": ("html", "<div>" * NESTED),
    "one long dotted key": ("toml", "a." * NESTED + "b = 1"),
    "many keys": ("toml", "".join(f"a.b{n}.c = 1\n" for n in range(20_000))),
    "quotes": ("js", '"""' * 300_000),
    "questions": ("rs", "a?" * 500_000),
    "comparisons": ("cpp", "a<" * 500_000),
    "negations": ("py", "!" * 500_000),
    "prose as code": ("rs", "the quick brown fox jumps over the lazy dog " * 20_000),
    "thousands of functions": ("py", "def add(a, b):\n    return a + b\n\n" * 30_000),
    "nested calls": ("sql", "f(" * 50_000),
    "markup": ("html", "<" * 500_000),
    "brackets in Markdown": ("md", "[" * 400_000),
    "emphasis in Markdown": ("md", "*a _b " * 60_000),
    "thousands of blocks in Markdown": ("md", "```py\nx = (\n```\n\n" * 10_000),
    "zeros": ("js", "\0" * 100_000),
    "lone surrogates": ("json", '"\ud800"'),
    "wrong escapes": ("json", '["\\ud800", "\\udc00\\ud800", "\\u12", "\\xff"]'),
    "not a number": ("json", "[NaN, Infinity, -Infinity]"),
    "a long number": ("json", "9" * 500_000),
    "duplicate keys": ("json", '{"a": 1, ' + '"a": 2, ' * 50_000 + '"b": 3}'),
}

REMOTE = "http://127.0.0.1:{port}/schema.json"
HOSTILE_SCHEMAS = {
    "exponential references": ("1", HANGING_SCHEMA),
    "a recursive reference": ("[[[[1]]]]", {"$ref": "#"}),
    "references in a circle": (
        "1",
        {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"},
    ),
    "a local file": ("1", {"$ref": "file:///etc/passwd"}),
    "a catastrophic pattern": (f'"{"a" * 50}!"', {"pattern": "^(a+)+$"}),
    "a catastrophic pattern with a backreference": (f'"{"a" * 50}!"', {"pattern": "^(a+)+\\1$"}),
    "a catastrophic pattern of keys": ('{"' + "a" * 50 + '!": 1}', {"patternProperties": {"^(a|a)*$": {}}}),
    "unique items": ("[" + ",".join(f'{{"a": {n}}}' for n in range(50_000)) + "]", {"uniqueItems": True}),
    "many errors": ("[" + "1," * 200_000 + "1]", {"items": {"type": "string"}}),
    "large numbers": ("1" + "0" * 4_000, {"multipleOf": 3, "maximum": 10}),
}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def hostile() -> AsyncIterator[Validation]:
    """One for all, as it is for all cells of a server: what one cell does must not be noticed by the next."""
    validation = Validation(ValidationLimits(seconds=SECONDS))
    yield validation
    await validation.close()


async def answered(validation: Validation, language: str, text: str, schema: object = None) -> ValidationResult | None:
    """The result; None when the request was refused for its time. Either way in time, and with others served."""

    async def check() -> ValidationResult | None:
        begun = time.perf_counter()
        try:
            return await check_text(validation, language, text, schema)
        except ValidationTimeout:
            return None
        finally:
            assert time.perf_counter() - begun < LIMIT + 0.2 * SLACK

    result = await letting_others_work(check)

    assert most_resident() < 512 * MIB
    assert (await check_text(validation, "json", "[1,]")).valid is False
    return result


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_cell_harms_nobody(hostile: Validation, name: str) -> None:
    language, text = HOSTILE[name]

    await answered(hostile, language, text)


@pytest.mark.parametrize("name", HOSTILE_SCHEMAS)
async def test_a_hostile_schema_harms_nobody(hostile: Validation, name: str) -> None:
    text, schema = HOSTILE_SCHEMAS[name]

    await answered(hostile, "json", text, schema)


@pytest.mark.parametrize("language", CHECKERS)
async def test_a_cell_of_a_mebibyte_is_checked_in_time(validation: Validation, language: str) -> None:
    sample, (begin, end) = SAMPLES[language], FRAMES.get(language, ("", ""))
    text = begin + sample * ((MIB - 20) // len(sample)) + end

    result = await answered(validation, language, text)

    assert result is not None
    assert (result.errors, [warning.code for warning in result.warnings]) == ([], [])


async def test_nothing_is_fetched_for_a_schema(validation: Validation) -> None:
    requests: list[object] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests.append(reader)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    remote = REMOTE.format(port=server.sockets[0].getsockname()[1])

    [plain, dialect, shared] = await validation.check(
        [
            cell("json", "1", {"$ref": remote}),
            cell("json", "1", {"$schema": remote}, index=1),
            cell("json", "1", {"$ref": "scratchpad://schemas/a"}, index=2),
        ],
        [SharedSchema("id", "a", {"$ref": remote})],
    )
    problem = await validation.problem_of_schema({"$schema": remote})

    server.close()
    await server.wait_closed()
    assert requests == []
    assert problem is not None
    for result in (plain, dialect, shared):
        assert result.details.schema_.checked is False or result.errors or result.warnings
