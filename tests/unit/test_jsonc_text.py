"""A JSON text with comments is changed in one place: everything else in it stays, whatever it looks like."""

import json
import re
from random import Random
from typing import Any

import pytest

from longtable.client_setup import jsonc_text
from longtable.client_setup.mistakes import MalformedFile

ENTRY = {"command": "longtable", "args": ["--tools", "agent"]}
KEYS = ["servers", "a", "b", 'q"uote', "{", "// no comment", "ü", ","]
PLAIN = [None, True, 0, -12.5e10, "", 'a "b" \\ //', "\u2028", "}"]
GAPS = ["", "", " ", "\n", "\n\t\t", "\r\n  ", " // note\n", " /* note */ ", "/* { */", " // }\n    "]


def some_value(chance: Random, depth: int) -> Any:
    kind = chance.random() if depth else 0.0
    if kind < 0.5:
        return chance.choice(PLAIN)
    if kind < 0.7:
        return [some_value(chance, depth - 1) for _ in range(chance.randrange(4))]
    return {key: some_value(chance, depth - 1) for key in chance.sample(KEYS, chance.randrange(4))}


def written(value: Any, chance: Random) -> str:
    def gap() -> str:
        return chance.choice(GAPS)

    if not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=chance.random() < 0.5)
    if isinstance(value, dict):
        parts = [
            f"{gap()}{json.dumps(key)}{gap()}:{gap()}{written(each, chance)}{gap()}" for key, each in value.items()
        ]
    else:
        parts = [f"{gap()}{written(each, chance)}{gap()}" for each in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return opening + ",".join(parts) + ("," if parts and chance.random() < 0.3 else "") + gap() + closing


def comments(text: str) -> list[str]:
    without_strings = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)
    return re.findall(r"// note|// }|/\* note \*/|/\* \{ \*/", without_strings)


@pytest.mark.parametrize("seed", range(20))
def test_one_member_is_set_and_removed_and_nothing_else_changes(seed: int) -> None:
    chance = Random(seed)
    for _ in range(100):
        data = {key: some_value(chance, 3) for key in chance.sample(KEYS, chance.randrange(5))}
        if not isinstance(data.get("servers", {}), dict):
            data["servers"] = {}
        check_change(chance.choice(GAPS) + written(data, chance) + chance.choice(GAPS), data)


def check_change(text: str, data: dict[str, Any]) -> None:
    added = jsonc_text.put(text, ("servers", "longtable"), ENTRY)
    replaced = jsonc_text.put(added, ("servers", "longtable"), {"url": "x"})
    removed = jsonc_text.drop(replaced, ("servers", "longtable"))

    servers = data.get("servers", {})
    assert jsonc_text.load(text) == data
    assert jsonc_text.load(added) == {**data, "servers": {**servers, "longtable": ENTRY}}
    assert jsonc_text.load(replaced) == {**data, "servers": {**servers, "longtable": {"url": "x"}}}
    assert jsonc_text.load(removed) == {**data, "servers": servers}
    assert comments(added) == comments(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "line 1, column 2"),
        ('{"a": 1 "b": 2}', "a comma or } is expected"),
        ("{a: 1}", "a value is expected"),
        ('{"a": 1, "a": 2}', "'a' is there twice"),
        ('{"a": 1}}', "there is more after the end"),
        ('{"a": 01}', "a value is expected"),
        ("[" * 200, "too deep"),
        ("{1: 2}", "a name in quotes is expected"),
        ('{"a" 1}', "a colon is expected"),
        ('{"servers": 1}', "servers is no object"),
    ],
)
def test_what_is_not_json_is_told_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(MalformedFile, match=re.escape(problem)):
        jsonc_text.put(text, ("servers", "longtable"), ENTRY)
