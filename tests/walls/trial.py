"""Runs the probes on the scene: once to learn which statements they run, then once more for each mutant."""

import contextlib
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from longtable.toolkit.tool import Tool
from tests.walls.mutants import Lens, Mutant
from tests.walls.notice_probes import notice_probes
from tests.walls.probes import Probe, other_probes, probes_of
from tests.walls.scene import PRYING, VICTIM, Scene, prepared
from tests.walls.tenant_check import tenant_tables
from tests.walls.tool_calls import TOOL_CALLS

_PUT_TOGETHER = "search.store."
"""Where several statements are made of the same texts."""
_TRIED = 30
"""Probes that a mutant is tried with, at most."""


@dataclass
class Trial:
    scene: Scene
    folder: Path
    lens: Lens
    probes: dict[str, Probe] = field(default_factory=dict)
    seen: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """What was seen of each probe without a mutant."""
    before: dict[str, list[Any]] = field(default_factory=dict)
    """What is in the store before any of them."""
    numbers: "count[int]" = field(default_factory=count)

    @classmethod
    async def of_all(cls, folder: Path, monkeypatch: pytest.MonkeyPatch) -> "Trial":
        """Every tool, route and resource, but those that need other servers."""
        scene = await prepared(folder / "scene", monkeypatch)
        async with scene.opened(folder / "looking") as room:
            tools: list[Tool[Any]] = list(room.table.app.dispatcher.tools.values())
        without = {tool.name for tool in tools} ^ TOOL_CALLS.keys()
        assert not without, f"tools without a probe, or probes without a tool: {sorted(without)}"
        return cls.of(
            scene, folder, [*(probe for tool in tools for probe in probes_of(tool)), *other_probes(), *notice_probes()]
        )

    @classmethod
    def of(cls, scene: Scene, folder: Path, probes: Sequence[Probe]) -> "Trial":
        named = {probe.name: probe for probe in probes}
        assert len(named) == len(probes), "two probes have one name"
        untouched = folder / "untouched.db"
        untouched.write_bytes(scene.content)
        return cls(scene, folder, Lens(PRYING), named, before=_rows(untouched))

    async def explore(self) -> None:
        """Each probe once, looking at what every mutant would have done in its place."""
        self.lens.explores = True
        for probe in self.probes.values():
            self.lens.probe = probe.name
            self.seen[probe.name] = [await self._run(probe)]
        self.lens.explores = False

    @property
    def places(self) -> dict[tuple[str, str], list[Mutant]]:
        """The mutants by function and the words around: a function may make many texts with one condition."""
        found: dict[tuple[str, str], list[Mutant]] = {}
        for mutant, function in self.lens.met.items():
            found.setdefault((function, mutant.around), []).append(mutant)
        return found

    async def is_red(self, mutants: Sequence[Mutant]) -> bool:
        """Whether anybody sees a difference when one of them is in force."""
        for mutant in mutants:
            if await self._is_seen([mutant]):
                return True
        together = self._of_one_text(mutants[0])
        return len(together) > 1 and await self._is_seen(together)

    def _of_one_text(self, mutant: Mutant) -> list[Mutant]:
        """Those that are made of the same text as this one: a search asks several statements, and each must agree."""
        if not self.lens.met[mutant].startswith(_PUT_TOGETHER):
            return []
        others = [each for each, function in self.lens.met.items() if function.startswith(_PUT_TOGETHER)]
        return [each for each in others if each.onward == mutant.onward]

    async def _is_seen(self, mutants: Sequence[Mutant]) -> bool:
        felt = {name: first for mutant in mutants for name, first in self.lens.felt[mutant].items()}
        if any(mutant.writes is not None for mutant in mutants):
            # It has been seen to leave other rows behind.
            return bool(felt)
        # Where the first row is another one, most code goes wrong; and where few mutants are felt, little else matters.
        crowded = Counter(name for names in self.lens.felt.values() for name in names)
        for name in sorted(felt, key=lambda name: (not felt[name], crowded[name]))[:_TRIED]:
            self.lens.active = mutants
            try:
                seen = await self._run(self.probes[name])
            finally:
                self.lens.active = ()
            if await self._is_unlike(name, seen):
                return True
        return False

    async def _is_unlike(self, name: str, seen: dict[str, Any]) -> bool:
        if len(self.seen[name]) == 1:
            # What differs from run to run says nothing.
            self.seen[name].append(await self._run(self.probes[name]))
        first, second = self.seen[name]
        steady = {path: value for path, value in first.items() if second.get(path, ...) == value}
        unsteady = (first.keys() | second.keys()) - steady.keys()
        return {path: value for path, value in seen.items() if path not in unsteady} != steady

    async def _run(self, probe: Probe) -> dict[str, Any]:
        """What it was told, and what is in the store after it."""
        folder = self.folder / str(next(self.numbers))
        self.lens.statements = 0
        is_mutated = bool(self.lens.active)
        with self.lens.in_place():
            try:
                async with self.scene.opened(folder) as room:
                    answer = await probe.run(room)
            except Exception as error:
                if not is_mutated:
                    raise
                answer = type(error).__name__
        return {**dict(_leaves("", answer)), **_changes(self.before, folder / "data" / "longtable.db")}


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _leaves(f"{path}.{name}", each)
    elif isinstance(value, list | tuple):
        yield f"{path}#", len(value)
        for number, each in enumerate(value):
            yield from _leaves(f"{path}.{number}", each)
    else:
        yield path, value


def _changes(before: dict[str, list[Any]], path: Path) -> dict[str, Any]:
    """The rows of both tenants and the words of the index that are new, and those that are gone."""
    found: dict[str, Any] = {}
    for table, rows in _rows(path).items():
        old, new = set(before[table]), set(rows)
        found |= _leaves(f"{table} +", [row for row in rows if row not in old])
        found |= _leaves(f"{table} -", [row for row in before[table] if row not in new])
    for anchors in path.parent.glob("*anchor*"):
        found |= _leaves("anchors", json.loads(anchors.read_text()))
    return found


def _rows(path: Path) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for table in sorted(tenant_tables()):
            for tenant in (VICTIM, PRYING):
                rows = connection.execute(f"SELECT * FROM {table} WHERE tenant = ?", (tenant,))
                found[f"{table} of {tenant}"] = rows.fetchall()
        connection.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab (main, documents_fts, instance)")
        found["words"] = connection.execute("SELECT term, doc, col FROM temp.terms").fetchall()
    return found
