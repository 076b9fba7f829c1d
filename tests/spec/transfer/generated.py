"""Exports that nobody has exported: sessions and scratchpads full of chance, as a store would write them."""

import hashlib
import json
import random
import uuid
from dataclasses import dataclass, field
from typing import Any

from longtable.kernel.clock import SECOND, to_iso

_NAMES = ("ada", "bob", "human:grace", "Ömer", "agent-7", "翻訳者")
_WORDS = (
    "the shop",
    "opens",
    "at 9\n",
    "# heading",
    "💡",
    'quote "x"',
    "\u2028",
    "\\u0001",
    "\x01\x7f",
    "naïve",
    "日本語",
)
_START = 1_700_000_000 * SECOND

Line = dict[str, Any]


@dataclass
class GeneratedExport:
    """The lines of an export, all of them valid; the same for the same seed."""

    seed: int
    chance: random.Random = field(init=False)
    lines: list[Line] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.origin = self.chance.choice(("store-a", "0123456789abcdef"))

    def text(self, most: int = 6) -> str:
        return " ".join(self.chance.choice(_WORDS) for _ in range(self.chance.randint(0, most)))

    def name(self) -> str:
        return self.chance.choice(_NAMES)

    def moment(self) -> str:
        return to_iso(_START + self.chance.randint(0, 10**14))

    def maybe(self, **fields: Any) -> Line:
        """Each of them, or not."""
        return {name: value for name, value in fields.items() if self.chance.random() < 0.5}

    def flag(self) -> bool:
        return self.chance.random() < 0.5

    def tags(self) -> list[str]:
        return self.chance.sample(("price", "日本", "a b", "x" * 64), self.chance.randint(0, 3))

    def value(self) -> Any:
        values = (None, True, -1, 2**70, 1.5, 1e-7, "text\n", [1, [2]], {"b": 1, "a": {"c": "é"}})
        return self.chance.choice(values)

    def origin_maybe(self) -> Line:
        return {"origin": "another-store"} if self.chance.random() < 0.2 else {}

    def some(self) -> int:
        return self.chance.choice((0, 1, 2, 5))

    def encoded(self, scope: str) -> bytes:
        header = {"format": "longtable", "version": 1, "scope": scope}
        body = b"".join(map(_encoded, [header, *self.lines]))
        digest = hashlib.sha256(body).hexdigest()
        return body + _encoded({"type": "end", "records": len(self.lines), "sha256": digest})

    def add_session(self, session_id: str) -> None:
        status = self.chance.choice(("active", "closed", "expired"))
        self.lines.append(
            {
                "type": "session",
                "id": session_id,
                "purpose": self.text(),
                "metadata": {"k": self.value()} if self.flag() else {},
                "created_by": self.name(),
                "created_at": self.moment(),
                "expires_at": self.moment(),
                "status": status,
                **({} if status == "active" else {"ended_at": self.moment()}),
                "origin": self.origin,
            }
        )
        self._add_notes()
        self._add_sections()
        self._add_tasks()
        questions = self._add_questions()
        for number in range(1, self.some() + 1):
            self._add(
                "checkpoint",
                id=f"c{number}",
                event_seq=self.chance.randint(0, 99),
                reasons=["blocking_question"],
                questions=[f"q{each}" for each in range(1, questions + 1)],
                created_at=self.moment(),
                **self.maybe(resumed_at=self.moment()),
            )
        self._add_messages()
        self.add_memory()
        self._add_events()
        self.add_audit()

    def _add(self, type: str, **fields: Any) -> None:
        self.lines.append({"type": type, **fields})

    def _add_notes(self) -> None:
        count = self.some()
        for number in range(1, count + 1):
            earlier = {"supersedes": f"n{self.chance.randint(1, number - 1)}"} if number > 1 and self.flag() else {}
            later = {"superseded_by": f"n{self.chance.randint(number + 1, count)}"} if number < count else {}
            self._add(
                "note",
                id=f"n{number}",
                content=self.text(),
                tags=self.tags(),
                author=self.name(),
                **self.maybe(source=self.text()),
                **earlier,
                **later,
                created_at=self.moment(),
                **self.origin_maybe(),
            )

    def _add_sections(self) -> None:
        ids = self.chance.sample(("intro", "z9", "a-b", "a_b", "0"), self.some())
        versions = {id: self.chance.randint(1, 3) for id in ids}
        for position, id in enumerate(ids):
            self._add("section", id=id, position=position, version=versions[id])
        for id in sorted(ids):
            for version in range(1, versions[id] + 1):
                self._add(
                    "section_version",
                    section=id,
                    version=version,
                    title=self.text(2),
                    content=self.text(),
                    author=self.name(),
                    created_at=self.moment(),
                    **self.origin_maybe(),
                )

    def _add_tasks(self) -> None:
        count, notes = self.some(), []
        for number in range(1, count + 1):
            notes.append(self.some())
            needed = self.chance.sample(range(1, number), self.chance.randint(0, min(2, number - 1)))
            lease = {"lease_holder": self.name(), "lease_expires_at": self.moment()} if self.flag() else {}
            self._add(
                "task",
                id=f"t{number}",
                description=self.text(),
                status=self.chance.choice(("pending", "in_progress", "completed", "blocked", "failed", "cancelled")),
                **self.maybe(assigned_to=self.name()),
                priority=self.chance.choice(("high", "medium", "low")),
                depends_on=[f"t{each}" for each in needed],
                **self.maybe(metadata={"n": self.value()}),
                notes=notes[-1],
                version=self.chance.randint(1, 9),
                claims=self.chance.randint(0, 9),
                **lease,
                created_by=self.name(),
                created_at=self.moment(),
                updated_at=self.moment(),
                **self.origin_maybe(),
            )
        for task, total in enumerate(notes, start=1):
            for number in range(1, total + 1):
                self._add(
                    "task_note",
                    task=f"t{task}",
                    number=number,
                    author=self.name(),
                    text=self.text(),
                    created_at=self.moment(),
                    **self.origin_maybe(),
                )

    def _add_questions(self) -> int:
        count = self.some()
        for number in range(1, count + 1):
            status = self.chance.choice(("pending", "answered", "expired", "withdrawn"))
            answer = {"answer": self.text(), "answered_at": self.moment(), "answered_by": self.name()}
            elsewhere = {"answer_origin": "third-store"} if status == "answered" and self.flag() else {}
            self._add(
                "question",
                id=f"q{number}",
                question=self.text(),
                **self.maybe(context=self.text()),
                asked_by=self.name(),
                asked_at=self.moment(),
                priority=self.chance.choice(("high", "medium", "low")),
                blocking=self.flag(),
                require_human=self.flag(),
                **self.maybe(options=["yes", "no", "yes"]),
                **self.maybe(expires_at=self.moment()),
                status=status,
                **(answer if status == "answered" else {}),
                by_human=status == "answered" and self.flag(),
                **elsewhere,
                **self.origin_maybe(),
            )
        return count

    def _add_messages(self) -> None:
        for number in range(1, self.some() + 1):
            reach = {"visibility": self.chance.choice(("public", "private", "agent_only"))}
            directed = {"to": self.name(), **self.maybe(control="stop", acknowledged_at=self.moment())}
            directed = directed if reach["visibility"] == "private" and self.flag() else {}
            parent = {"parent": self.chance.randint(1, number - 1)} if number > 1 and self.flag() else {}
            self._add(
                "message",
                id=number,
                sender=self.name(),
                sender_type=self.chance.choice(("generic", "human", "claude")),
                content=self.text(),
                **reach,
                metadata={"m": self.value()} if self.flag() else {},
                **directed,
                **parent,
                thread=parent.get("parent", number),
                created_at=self.moment(),
                **self.origin_maybe(),
            )

    def add_memory(self) -> None:
        keys = {(self.name(), self.chance.choice(("k", "a/b", "é", "z" * 255))) for _ in range(self.some())}
        for agent, key in sorted(keys):
            self._add(
                "memory",
                agent=agent,
                key=key,
                value=self.value(),
                version=self.chance.randint(1, 9),
                created_at=self.moment(),
                updated_at=self.moment(),
                **self.maybe(expires_at=self.moment()),
            )

    def _add_events(self) -> None:
        for seq in sorted(self.chance.sample(range(1, 99), self.some())):
            self._add(
                "event",
                seq=seq,
                kind="scratchpad/note_added",
                actor=self.name(),
                actor_type="generic",
                visibility=self.chance.choice(("public", "private", "agent_only")),
                payload={"note_id": "n1"},
                **self.maybe(about=1),
                created_at=self.moment(),
                **self.origin_maybe(),
            )

    def add_audit(self) -> None:
        for seq in sorted(self.chance.sample(range(1, 99), self.some())):
            self._add(
                "audit",
                seq=seq,
                event_type="note_added",
                operation="add_note",
                agent_id=self.name(),
                agent_type="generic",
                role="agent",
                surface="http",
                **self.maybe(object="note:n1"),
                outcome="SUCCESS",
                **self.maybe(arguments_digest="0f" * 32),
                metadata={},
                created_at=self.moment(),
                digest="ab" * 32,
                **self.origin_maybe(),
            )

    def add_scratchpad(self, scratch_id: str) -> None:
        cells, schemas = self.some(), self.some()
        self._add(
            "scratchpad",
            id=scratch_id,
            **self.maybe(title=self.text(), description=self.text(), summary=self.text()),
            **self.maybe(namespace="team/é"),
            tags=self.tags(),
            metadata={"x": self.value()} if self.flag() else {},
            pinned=self.flag(),
            version=self.chance.randint(1, 9),
            cells=cells,
            schemas=schemas,
            created_at=self.moment(),
            updated_at=self.moment(),
            origin=self.origin,
        )
        self._add_schemas(schemas)
        self._add_cells(cells)
        self.add_audit()

    def _add_schemas(self, schemas: int) -> None:
        moments = sorted(self.moment() for _ in range(schemas))
        for number, moment in enumerate(moments):
            self._add(
                "schema",
                id=str(uuid.UUID(int=self.chance.getrandbits(128))),
                name=f"schema {number}",
                description=self.text(),
                document={"type": "object", "x": self.value()},
                created_at=moment,
                updated_at=self.moment(),
            )

    def _add_cells(self, cells: int) -> None:
        for position in range(cells):
            self._add(
                "cell",
                id=str(uuid.UUID(int=self.chance.getrandbits(128))),
                position=position,
                language=self.chance.choice(("py", "json", "md")),
                content=self.text(),
                **self.maybe(json_schema={"type": "object"}),
                tags=self.tags(),
                metadata={"y": self.value()} if self.flag() else {},
                validate=self.flag(),
                version=self.chance.randint(1, 9),
                created_at=self.moment(),
                updated_at=self.moment(),
            )


def _encoded(line: Line) -> bytes:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def generated_session(seed: int) -> bytes:
    export = GeneratedExport(seed)
    export.add_session(f"session-{seed}")
    return export.encoded("session")


def generated_notebook(seed: int) -> bytes:
    export = GeneratedExport(seed)
    export.add_scratchpad(f"pad.{seed}")
    return export.encoded("notebook")
