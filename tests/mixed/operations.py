"""Calls that make sense often enough: arguments by the schema of a tool, ids of everybody's things among them."""

import random
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, Final

SESSIONS: Final = ("sess_one", "sess_two", "sess_three", "sess_four")
AGENTS: Final = ("ada", "bob", "cleo", "dan", "eve")
TEXTS: Final = {
    *("content", "question", "description", "reason", "purpose", "value", "title", "context", "note", "message"),
    *("model", "action_preview", "comment", "text", "answer", "source"),
}
_WAITS: Final = ("wait_seconds", "timeout_seconds")
"""Always given, and 0: their defaults are half a minute."""
_NAMES: Final[dict[str, tuple[Any, ...]]] = {
    **dict.fromkeys(_WAITS, (0,)),
    "session_id": (*SESSIONS, "sess_nine"),
    "scratch_id": ("pad1", "pad2", "pad3"),
    "section_id": ("intro", "body", "end"),
    "section_name": ("intro", "body", "end"),
    "task_id": ("t1", "t2", "t3", "t9"),
    "question_id": ("q1", "q2", "q3"),
    "note_id": ("n1", "n2", "n9"),
    "supersedes": ("n1", "n2"),
    "checkpoint_id": ("c1", "c2"),
    "key": ("k1", "k2", "k3"),
    "prefix": ("k", ""),
    "namespace": ("lab", "yard"),
    "old_namespace": ("lab", "yard"),
    "new_namespace": ("yard", "hall"),
    "schema_id": ("shape",),
    "lease": ("x",),
    "workspace_id": ("w1",),
    "tool_name": ("files_read",),
    **dict.fromkeys(("author", "sender", "to", "assigned_to", "agent", "agent_id"), AGENTS),
}
_LISTS: Final[dict[str, tuple[Any, ...]]] = {
    "tags": ("red", "green"),
    "namespaces": ("lab", "yard"),
    "languages": ("md", "txt", "json"),
    "paths": ("src/*.py", "docs/**"),
    "kinds": ("scratchpad/*", "message/*"),
    "question_ids": ("q1", "q2"),
    "depends_on": ("t1", "t2"),
    "indices": (1, 2),
    "options": ("yes", "no"),
}
_LEARNED: Final = {"next_cursor": "cursor", "older": "cursor"}
_FAMILIAR: Final = (
    "cursor",
    "cell_id",
    "schema_id",
    "trash_id",
    "lease",
    "token_id",
    "hold_id",
    "decision_id",
    "note_id",
)


@dataclass
class Pool:
    """Names and ids that anybody has seen, of whichever tenant."""

    learned: dict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))

    def learn(self, body: Any) -> None:
        if isinstance(body, list):
            for each in body:
                self.learn(each)
        elif isinstance(body, dict):
            for name, value in body.items():
                known = _LEARNED.get(name, name)
                if known in _FAMILIAR and isinstance(value, str):
                    self._keep(known, value)
                self.learn(value)

    def _keep(self, name: str, value: str) -> None:
        kept = self.learned[name]
        kept.append(value)
        del kept[:-60]


@dataclass
class Dice:
    """Arguments of one caller, whose texts all hold its words."""

    chance: random.Random
    pool: Pool
    words: tuple[str, ...]
    """The words of everybody, for searches. None of them is a secret."""
    definitions: dict[str, Any] = field(default_factory=dict)

    def arguments(self, schema: dict[str, Any], secret: str) -> dict[str, Any]:
        self.definitions.update(schema.get("$defs", {}))
        required = schema.get("required", ())
        return {
            name: self._value(name, each, secret)
            for name, each in schema.get("properties", {}).items()
            if name in required or name in _WAITS or self.chance.random() < 0.3
        }

    def text(self, secret: str) -> str:
        words = self.chance.sample(("otter", "heron", "river", "plan", "red"), 2)
        return f"{secret} {' '.join(words)}"

    def _value(self, name: str, schema: dict[str, Any], secret: str) -> Any:
        schema = self._meant(schema)
        if "enum" in schema:
            return self.chance.choice(schema["enum"])
        if name in TEXTS:
            return self.text(secret)
        if name == "query":
            return self.chance.choice((*self.words, "otter", "heron river", "red", "oter"))
        if self.pool.learned.get(name) and self.chance.random() < 0.7:
            return self.chance.choice(self.pool.learned[name])
        if name in _NAMES:
            return self.chance.choice(_NAMES[name])
        return self._by_type(name, schema, secret)

    def _meant(self, schema: dict[str, Any]) -> dict[str, Any]:
        """One of several, and what a reference leads to."""
        for several in ("anyOf", "oneOf"):
            if several in schema:
                schema = self.chance.choice(schema[several])
        if "$ref" in schema:
            schema = self.definitions[schema["$ref"].rpartition("/")[2]]
        return schema

    def _by_type(self, name: str, schema: dict[str, Any], secret: str) -> Any:
        match schema.get("type"):
            case "integer":
                return self.chance.choice((0, 1, 2, 3, 10, 50))
            case "number":
                return self.chance.choice((0, 0.5, 3))
            case "boolean":
                return self.chance.random() < 0.5
            case "array":
                return self._list(name, schema, secret)
            case "object":
                return self._object(name, schema, secret)
            case _:
                return self.chance.choice(("1h", "2h", "1", "red"))

    def _list(self, name: str, schema: dict[str, Any], secret: str) -> list[Any]:
        if name in _LISTS:
            return self.chance.sample(_LISTS[name], self.chance.randint(1, len(_LISTS[name])))
        if name == "cell_ids":
            return self.chance.sample(self.pool.learned["cell_id"] or ["x"], 1)
        items = schema.get("items", {})
        return [self._value(name.removesuffix("s"), items, secret) for _ in range(self.chance.randint(1, 2))]

    def _object(self, name: str, schema: dict[str, Any], secret: str) -> dict[str, Any]:
        if name in ("schema", "json_schema"):
            return {"name": "shape", "description": self.text(secret), "schema": {"type": "object"}}
        if name == "cell":
            return {"language": self.chance.choice(_LISTS["languages"]), "content": self.text(secret)}
        if "properties" in schema:
            return self.arguments(schema, secret)
        return {"about": self.text(secret)}
