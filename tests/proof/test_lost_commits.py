"""A hundred commits whose replies are lost, at every point: no answer that is not true, nothing twice."""

import random
from pathlib import Path

import pytest

from tests.postgres_proxy import Cut, proxy_to
from tests.stores import Store
from tests.table import Agent, open_table

TIMES = 100
CUTS: tuple[Cut, ...] = ("before the commit arrives", "after the commit is done")


@pytest.mark.timeout(600)
async def test_no_answer_about_a_lost_commit_is_wrong(replicated: Store, tmp_path: Path) -> None:
    chosen = random.Random(13)
    answers: dict[str, str] = {}
    async with (
        proxy_to(replicated.address) as proxy,
        open_table(Store("postgresql", proxy.address), tmp_path) as table,
    ):
        ann = table.agent("ann", await table.session("sess_one", ttl="1d"))
        await ann.adds_note("before")
        for n in range(TIMES):
            proxy.cut_next, proxy.goes_down_with_cut = chosen.choice(CUTS), chosen.random() < 0.1
            proxy.keeps_half_open = chosen.random() < 0.3
            answers[f"note {n}"] = await said(ann, f"note {n}", None)
            proxy.is_down = False
            keyed = f"keyed {n}"
            proxy.cut_next, proxy.goes_down_with_cut = chosen.choice(CUTS), False
            while (code := await said(ann, keyed, keyed)) != "ok":
                assert code in ("STORE_UNAVAILABLE", "OUTCOME_UNKNOWN")
        notes = [note["content"] for note in await everything(ann)]

    assert proxy.cuts >= 2 * TIMES
    assert [text for text, code in answers.items() if code == "ok" and notes.count(text) != 1] == []
    assert [text for text, code in answers.items() if code == "STORE_UNAVAILABLE" and text in notes] == []
    assert set(answers.values()) == {"ok", "STORE_UNAVAILABLE", "OUTCOME_UNKNOWN"}
    assert [n for n in range(TIMES) if notes.count(f"keyed {n}") != 1] == []


async def said(agent: Agent, content: str, key: str | None) -> str:
    more = {"idempotency_key": key} if key else {}
    body = await agent.tries("add_note", content=content, **more)
    return "ok" if body["ok"] else str(body["error"]["code"])


async def everything(agent: Agent) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    cursor: dict[str, str] = {}
    while True:
        page = await agent.calls("read_notes", limit=100, order="oldest", **cursor)
        found += page["notes"]
        if not page.get("next_cursor"):
            return found
        cursor = {"cursor": page["next_cursor"]}
