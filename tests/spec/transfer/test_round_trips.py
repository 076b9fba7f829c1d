"""What is exported comes back as it was: the same bytes, whichever store it goes through."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.spec.transfer.generated import GeneratedExport, generated_notebook, generated_session
from tests.spec.transfer.transfers import exported, imported, opened
from tests.stores import Store
from tests.table import Table

pytestmark = pytest.mark.slow


async def test_generated_sessions_and_notebooks_come_back_byte_for_byte(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path) as app:
        for seed in range(24):
            session, notebook = generated_session(seed), generated_notebook(seed)
            await imported(app, session, tmp_path)
            await imported(app, notebook, tmp_path)

            assert await exported(app, session_id=f"session-{seed}") == session, seed
            assert await exported(app, scratch_id=f"pad.{seed}") == notebook, seed


async def test_a_whole_store_comes_back_byte_for_byte(store: Store, tmp_path: Path) -> None:
    export = GeneratedExport(7)
    for tenant in ("acme", "rival"):
        export.lines.append({"type": "tenant", "name": tenant})
        export.add_memory()
        for number in range(3):
            export.add_session(f"same-{number}")
        export.add_scratchpad(f"pad-{tenant}")
    content = in_order(export)

    async with opened(store, tmp_path) as app:
        await imported(app, content, tmp_path)

        assert await exported(app, tenant=None) == content


def in_order(export: GeneratedExport) -> bytes:
    """Sessions by their age, as an export has them, and namespaces before scratchpads."""
    tenants: list[list[list[dict[str, Any]]]] = []
    for line in export.lines:
        if line["type"] == "tenant":
            tenants.append([[line]])
        elif line["type"] in ("session", "scratchpad"):
            tenants[-1].append([line])
        else:
            tenants[-1][-1].append(line)
    lines: list[dict[str, Any]] = []
    for first, *units in tenants:
        sessions = [unit for unit in units if unit[0]["type"] == "session"]
        pads = [unit for unit in units if unit[0]["type"] == "scratchpad"]
        names = sorted({unit[0]["namespace"] for unit in pads if "namespace" in unit[0]})
        lines += first
        lines += [line for unit in sorted(sessions, key=lambda unit: unit[0]["created_at"]) for line in unit]
        lines += [{"type": "namespace", "namespace": name, "created_at": export.moment()} for name in names]
        lines += [line for unit in pads for line in unit]
    export.lines = lines
    return export.encoded("all")


async def test_what_agents_and_people_made_comes_back_in_another_tenant(filled: Table, tmp_path: Path) -> None:
    whole = await exported(filled.app)

    await imported(filled.app, whole, tmp_path, tenant="acme")

    assert await exported(filled.app, tenant="acme") == whole
    types = {json.loads(line).get("type") for line in whole.splitlines()}
    assert types >= {"session", "note", "section_version", "task", "question", "message", "memory"}
    assert types >= {"scratchpad", "cell", "namespace", "event", "audit", "end"}


async def test_two_exports_of_the_same_content_are_the_same(filled: Table) -> None:
    assert await exported(filled.app) == await exported(filled.app)
