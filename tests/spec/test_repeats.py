"""Repeats: an answer that was lost on the way is asked for again, also over a restart, and nothing happens twice."""

import random
from dataclasses import dataclass
from typing import Any

import pytest

from tests.table import TRANSPORT, Table, open_table

WRITES = 5_000


@dataclass
class Sent:
    tool: str
    arguments: dict[str, Any]
    result: dict[str, Any]


def _next(dice: random.Random, number: int) -> tuple[str, dict[str, Any]]:
    key = f"key-{number}"
    ways: list[tuple[str, dict[str, Any]]] = [
        ("add_note", {"content": f"note {number}"}),
        ("add_message", {"content": f"message {number}"}),
        ("write_draft_section", {"section_id": f"part-{number % 7}", "content": f"text {number}"}),
        ("add_question", {"question": f"question {number}"}),
        ("set_memory", {"key": f"k{number % 50}", "value": number}),
    ]
    tool, arguments = dice.choice(ways)
    return tool, {**arguments, "idempotency_key": key}


def _bare(result: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name != "inbox"}


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_five_thousand_writes_of_which_a_third_are_repeated_have_five_thousand_effects(
    store: Any, tmp_path: Any
) -> None:
    writes = WRITES if store.kind == "sqlite" and TRANSPORT == "memory" else WRITES // 5
    dice = random.Random(11)
    sent: list[Sent] = []
    mismatches = 0
    options = {"max_questions": "100000", "max_notes": "100000"}
    for half in range(2):
        async with open_table(store, tmp_path, **options) as table:
            agent = table.agent("alice", await _session(table, half))
            for number in range(half * writes // 2, (half + 1) * writes // 2):
                tool, arguments = _next(dice, number)
                sent.append(Sent(tool, arguments, await agent.calls(tool, **arguments)))
                if dice.random() < 0.3:
                    earlier = dice.choice(sent)
                    again = await agent.calls(earlier.tool, **earlier.arguments)
                    assert _bare(again) == _bare(earlier.result)
                if dice.random() < 0.05:
                    mismatches += 1
                    await _refused_with_other_arguments(agent, dice.choice(sent))
            if half == 1:
                await _has_exactly(table, agent, sent)
    assert mismatches > writes // 50


async def _session(table: Table, half: int) -> str:
    return await table.session("sess_one", ttl="72h") if half == 0 else "sess_one"


async def _refused_with_other_arguments(agent: Any, earlier: Sent) -> None:
    changed = {**earlier.arguments}
    name = next(name for name in ("content", "question", "value") if name in changed)
    changed[name] = "changed"
    envelope = await agent.tries(earlier.tool, **changed)
    error = envelope["error"]
    assert (error["code"] if isinstance(error, dict) else envelope["code"]) == "IDEMPOTENCY_MISMATCH"


async def _has_exactly(table: Table, agent: Any, sent: list[Sent]) -> None:
    def count(tool: str) -> int:
        return sum(1 for each in sent if each.tool == tool)

    assert (await agent.calls("read_notes", limit=1))["total"] == count("add_note")
    assert (await agent.calls("get_session"))["message_count"] == count("add_message")
    sections = (await agent.calls("read_draft", include_content=False))["sections"]
    assert sum(section["version"] for section in sections) == count("write_draft_section")
    assert (await agent.calls("get_pending_questions"))["count"] == count("add_question")
    kept = (await agent.calls("list_memory", limit=500))["entries"]
    assert sum(entry["version"] for entry in kept) == count("set_memory")
