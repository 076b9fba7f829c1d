"""A table at which every word is hostile: each text goes into each field that an agent can write to."""

import json
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from longtable.checkers.languages import LANGUAGES
from tests.console.chromium import ROOT
from tests.console.hostile import payloads
from tests.table import MODERN, modern_meta

SESSION = "hostile"
UPSTREAMS = ("evil", "worse")
NAMED_LIKE_PARTS = ("constructor", "toString", "hasOwnProperty", "valueOf", "undefined", "null", "root", "content")
"""Sessions may be called so, and a page that looks them up in an object finds something else."""
WHOLE = ("md", "html", "txt")
"""Languages of which there is a scratchpad with all texts; the others share one."""
LARGE_RATE = {name: "100000/s" for name in ("tool", "caller", "tenant")}


def gateway_file(folder: Path, first: int, count: int) -> Path:
    """Servers whose tools have these texts for words."""
    half = count // len(UPSTREAMS)
    servers = {
        name: {
            "command": sys.executable,
            "args": ["-m", "tests.console.hostile_upstream", str(first + count), str(first + place * half), str(half)],
            "cwd": str(ROOT),
        }
        for place, name in enumerate(UPSTREAMS)
    }
    path = folder / "gateway.json"
    path.write_text(json.dumps({"mcpServers": servers, "rate_limits": LARGE_RATE}))
    path.chmod(0o600)
    return path


def line(text: str, limit: int) -> str:
    """The text where only one line of so many characters is taken."""
    plain = "".join(character if character.isprintable() or ord(character) > 0x9F else " " for character in text)
    return plain.strip()[:limit].strip() or "-"


@dataclass
class HostileTable:
    """`taken` counts, for each field, how many texts it has."""

    client: httpx2.Client
    first: int
    count: int
    open_every: int = 1
    """Of a long list whose texts were shown before, only one of so many is opened."""
    taken: Counter[str] = field(default_factory=Counter)
    made: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.texts = payloads(self.first + self.count)[self.first :]

    def word(self, number: int) -> str:
        return self.texts[number % self.count]

    def fill(self) -> None:
        self.post("sessions", "/sessions", {"session_id": SESSION}, {"purpose": self.word(0)}, 0)
        for name in NAMED_LIKE_PARTS:
            self.post("sessions", "/sessions", {"session_id": name}, {"purpose": self.word(1)}, 1)
        for number in range(self.count):
            self._lay(number)
            self._write(number)
            self._talk(number)
        self._plan()
        self._notebooks()
        self._ask_for_calls()

    def post(
        self,
        kind: str,
        path: str,
        base: Mapping[str, Any],
        fields: Mapping[str, Any],
        number: int,
        method: str = "POST",
    ) -> dict[str, Any]:
        """All fields at once, or, when that is refused, each by itself. Answers what was told last."""
        result = self._ask(kind, method, path, {**base, **fields}, number)
        if result is not None:
            self.taken.update(f"{kind}.{name}" for name in fields)
            return result
        answers = {name: self._ask(kind, method, path, {**base, name: value}, number) for name, value in fields.items()}
        self.taken.update(f"{kind}.{name}" for name, answer in answers.items() if answer is not None)
        return next((answer for answer in answers.values() if answer is not None), {})

    def _ask(self, kind: str, method: str, path: str, body: Mapping[str, Any], number: int) -> dict[str, Any] | None:
        """By an agent with a hostile name; by another, where the name is refused."""
        for agent in (line(self.word(number), 100), f"agent {number}"):
            headers = {b"X-Caller-Agent": agent.encode(), b"X-Agent-Type": b"editor"}
            answer = self.client.request(method, path, content=json.dumps(body), headers=headers)
            assert answer.status_code < 500, answer.text
            if answer.is_success:
                self.made[kind] += 1
                self.taken[f"{kind}.agent"] += agent != f"agent {number}"
                found: dict[str, Any] = answer.json()
                return found
        return None

    def _lay(self, number: int) -> None:
        word = self.word
        about = {"purpose": word(number), "metadata": {line(word(number + 1), 60): word(number + 2)}}
        self.post("sessions", "/sessions", {}, about, number)

    def _write(self, number: int) -> None:
        word, path = self.word, f"/sessions/{SESSION}"
        tags = [line(word(number + 1), 64), "shared"]
        note = {"content": word(number), "tags": tags, "source": word(number + 2)}
        self.post("notes", f"{path}/notes", {"content": "A note."}, note, number)
        for version in (0, 11):
            section = {"title": line(word(number + 3), 200), "content": word(number + version)}
            self.post("sections", f"{path}/draft/s{number}", {"content": "Words."}, section, number, "PUT")

    def _talk(self, number: int) -> None:
        word, path = self.word, f"/sessions/{SESSION}"
        metadata = {"__proto__": {"href": word(number)}, line(word(number + 1), 60): word(number + 2)}
        message = {"content": word(number), "metadata": metadata}
        said = self.post("messages", f"{path}/messages", {"content": "Words."}, message, number)
        parent = {"parent_message_id": said.get("message_id"), "content": "An answer."}
        self.post("answers", f"{path}/messages", parent, {"content": word(number + 5)}, number + 1)
        options = [word(number + place)[:1_000] for place in (2, 3)]
        question = {"question": word(number), "context": word(number + 1), "options": options}
        base = {"question": "Words?", "blocking": number % 2 == 0}
        asked = self.post("questions", f"{path}/questions", base, question, number)
        if number % 4 == 0:
            answer = {asked["question"]["id"]: word(number + 4)}
            self.post("replies", f"{path}/answers", {}, {"answers": answer}, number + 1)

    def _plan(self) -> None:
        word, path = self.word, f"/sessions/{SESSION}/tasks"
        for number in range(self.count):
            task = {
                "description": word(number),
                "assigned_to": line(word(number + 1), 100),
                "metadata": {line(word(number + 2), 60): word(number + 3)},
                "depends_on": [f"t{number}"] if number % 3 else [],
            }
            plain = {"description": "Plain.", "assigned_to": task["assigned_to"]}
            tries = (task, plain, {"description": "Plain."})
            made = next(filter(None, (self._ask("tasks", "POST", path, {"tasks": [one]}, number) for one in tries)))
            self.taken["tasks.description"] += 1
            said = {"note": word(number + 4), "status": ("in_progress", "blocked", "failed")[number % 3]}
            self.post("remarks", f"{path}/{made['tasks'][0]['id']}", {"force": True}, said, number)

    def _notebooks(self) -> None:
        word = self.word
        for number in range(self.count):
            about = {
                "title": line(word(number), 1_000),
                "description": word(number + 1),
                "summary": word(number + 2),
                "namespace": line(word(number % 20), 128),
                "tags": [line(word(number + 4), 128)],
                line(word(number + 5), 60): word(number + 6),
            }
            cells = [self._cell(number, "md"), self._cell(number + 1, LANGUAGES[number % len(LANGUAGES)])]
            body = {"scratch_id": f"pad-{number}", "cells": cells}
            # The second time the first one goes to the trash.
            for _ in range(2):
                if not self.post("pads", "/scratchpads", body, {"metadata": about}, number):
                    self._ask("pads", "POST", "/scratchpads", {"scratch_id": f"pad-{number}"}, number)
            schema = {
                "name": line(word(number), 128),
                "description": word(number + 1),
                "schema": {"title": word(number)},
            }
            self.post("schemas", "/scratchpads/pad-0/schemas", {}, {"schema": schema}, number)
        for language in WHOLE:
            self._pad_of(language, [self._cell(number, language) for number in range(self.count)])
        mixed = [self._cell(number, LANGUAGES[number % len(LANGUAGES)]) for number in range(self.count)]
        self._pad_of("mixed", mixed)

    def _pad_of(self, name: str, cells: list[dict[str, Any]]) -> None:
        """A cell that is refused is left out: they are added one by one then."""
        self.post("pads", "/scratchpads", {"scratch_id": f"all-{name}"}, {}, 0)
        for number, cell in enumerate(cells):
            self.post("cells", f"/scratchpads/all-{name}/cells", {}, {"cell": cell}, number)

    def _cell(self, number: int, language: str) -> dict[str, Any]:
        tags = [line(self.word(number + 1), 128)]
        metadata = {line(self.word(number + 2), 60): self.word(number + 3)}
        check = language == "json"
        content = self.word(number)
        return {"language": language, "content": content, "tags": tags, "metadata": metadata, "validate": check}

    def _ask_for_calls(self) -> None:
        """Of tools that a person must allow, and of one that has the servers change their words."""
        self._mcp("tools/list", {}, 0)
        for number in range(self.count):
            inputs = {line(self.word(number), 60): self.word(number + 1), "list": [self.word(number + 2)]}
            context = {"original_message": self.word(number + 3), "conversation_id": line(self.word(number % 9), 60)}
            upstream = UPSTREAMS[number % len(UPSTREAMS)]
            result = self._call(f"mindscape_run_{upstream}_delete_post", inputs, context, number)
            self.taken["calls.inputs"] += "CONFIRMATION_REQUIRED" in result
        for upstream in UPSTREAMS:
            context = {"original_message": self.word(5), "intent_hint": self.word(6)}
            self._call(f"mindscape_tool_{upstream}_get_pull", {}, context, 3)
        self._mcp("tools/list", {}, 0)

    def _call(self, tool: str, inputs: Mapping[str, Any], context: Mapping[str, Any], number: int) -> str:
        return self._mcp("tools/call", {"name": tool, "arguments": {"inputs": inputs, "_context": context}}, number)

    def _mcp(self, method: str, params: Mapping[str, Any], number: int) -> str:
        meta = modern_meta("hostile")
        headers = {
            "X-Session-ID": SESSION.encode(),
            "Accept": b"application/json, text/event-stream",
            "Content-Type": b"application/json",
            "MCP-Protocol-Version": MODERN.encode(),
            "Mcp-Method": method.encode(),
            **({"Mcp-Name": params["name"].encode()} if "name" in params else {}),
        }
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
        for agent in (line(self.word(number), 100), f"agent {number}"):
            named = {**headers, "X-Caller-Agent": agent.encode()}
            answer = self.client.post("/mcp", content=json.dumps(body), headers=named)
            if answer.is_success:
                break
        return answer.text
