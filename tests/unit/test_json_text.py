"""The bounds of JSON are counted as a parser would count them, without parsing it."""

import json
import random
from contextlib import nullcontext
from typing import Any

import pytest

from longtable.kernel.errors import InvalidArgument, PayloadTooLarge
from longtable.kernel.json_text import CHUNK_BYTES, MAX_DEPTH, MAX_NODES, JsonBounds, decode, is_clearly_within

ODD_TEXTS = ['a"b,[]{}:\\', "\\", "", '\\"', "é, \u2028", "[" * 80, "," * 300_000]


def listed(count: int) -> bytes:
    """A list that makes a text of `count` values in all."""
    return b"[" + b"1," * (count - 2) + b"1]"


def nested(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


def check_bounds(text: bytes) -> None:
    """As the server does, chunk by chunk."""
    if not is_clearly_within(text):
        bounds = JsonBounds()
        for start in range(0, len(text), CHUNK_BYTES):
            bounds.add(text[start : start + CHUNK_BYTES])
        bounds.end()


@pytest.mark.parametrize("text", [listed(MAX_NODES), b"[" + b"[],\n" * (MAX_NODES - 2) + b"{ }]", nested(MAX_DEPTH)])
def test_what_is_within_the_bounds_passes(text: bytes) -> None:
    check_bounds(text)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        (listed(MAX_NODES + 1), MAX_NODES),
        (b"[" + b"[]," * (MAX_NODES - 1) + b"{}]", MAX_NODES),
        (b"[" + b'"",' * 1_000_000 + b'""]', MAX_NODES),
        (b"{" + b'"a":1,' * 1_000_000 + b'"a":1}', MAX_NODES),
        (nested(MAX_DEPTH + 1), MAX_DEPTH),
        (b"[" * 1_000_000, MAX_DEPTH),
        (b'{"a":' * 100, MAX_DEPTH),
    ],
    ids=["items", "empty lists", "texts", "keys", "depth", "brackets", "objects"],
)
def test_what_is_beyond_them_is_refused_with_the_limit(text: bytes, limit: int) -> None:
    with pytest.raises(PayloadTooLarge) as refused:
        check_bounds(text)

    assert refused.value.details["limit"] == limit


@pytest.mark.parametrize("ascii_only", [True, False])
def test_what_stands_in_a_text_does_not_count(ascii_only: bool) -> None:
    for text in ODD_TEXTS:
        check_bounds(json.dumps({text: [text, {"b": text}]}, ensure_ascii=ascii_only).encode())


def test_a_value_is_what_any_parser_makes_of_it() -> None:
    chosen = random.Random(7)
    for _ in range(2_000):
        value = some_value(chosen, 0)
        text = json.dumps(value, indent=chosen.choice([None, 1]), ensure_ascii=chosen.random() < 0.5).encode()

        check_bounds(text)
        assert decode(text) == value


def test_it_does_not_matter_where_a_text_is_cut_into_pieces() -> None:
    chosen = random.Random(11)
    for _ in range(500):
        value = some_value(chosen, 0)
        text = json.dumps(value, ensure_ascii=chosen.random() < 0.5).encode()
        bounds = JsonBounds()
        for piece in in_pieces(chosen, text):
            bounds.add(piece)

        assert (bounds.nodes, bounds.colons, bounds.depth) == (values_in(value), keys_in(value), 0)


def test_too_many_values_are_found_however_they_are_cut() -> None:
    chosen = random.Random(13)
    for size, refused in ((MAX_NODES, False), (MAX_NODES + 1, True)):
        bounds = JsonBounds()
        with pytest.raises(PayloadTooLarge) if refused else nullcontext():
            for piece in in_pieces(chosen, b"[" + b"[ ]," * (size - 2) + b"{ }]", 20_000):
                bounds.add(piece)
            bounds.end()


def in_pieces(chosen: random.Random, text: bytes, largest: int = 6) -> list[bytes]:
    pieces = []
    while text:
        size = chosen.randint(1, largest)
        pieces.append(text[:size])
        text = text[size:]
    return pieces


def values_in(value: Any) -> int:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(values_in(part) for part in parts)


def keys_in(value: Any) -> int:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return (len(value) if isinstance(value, dict) else 0) + sum(keys_in(part) for part in parts)


REFUSED = {
    "twice": b'{"a": 1, "a": 2}',
    "twice below": b'[{"a": {"b": "x:y", "b": 1}}]',
    "twice by another spelling": b'{"aa": 1, "a\\u0061": 2}',
    "no number": b'{"a": NaN}',
    "infinity": b"[-Infinity]",
    "a number too large": b"[1e999]",
    "another encoding": '{"a": 1}'.encode("utf-16"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_parsers_do_not_agree_about_is_refused(name: str) -> None:
    with pytest.raises(InvalidArgument):
        decode(REFUSED[name])


@pytest.mark.parametrize("text", [b"", b"{", b'"\\ud800"', b'{"a": 1} x', b'{"a": \xff}', b"[1,]", b"9" * 5_000])
def test_what_is_no_json_or_no_text_is_said_to_be_none(text: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the words are the parser's
        decode(text)


def some_value(chosen: random.Random, depth: int) -> Any:
    kind = chosen.random()
    if depth > 5 or kind < 0.3:
        return chosen.choice([1, -2.5, None, True, *ODD_TEXTS[:5]])
    if kind < 0.65:
        return [some_value(chosen, depth + 1) for _ in range(chosen.randint(0, 4))]
    names = [chosen.choice(ODD_TEXTS[:4]) + str(n) for n in range(chosen.randint(0, 4))]
    return {name: some_value(chosen, depth + 1) for name in names}
