"""Many agents who rewrite one section at the same time: the same race for tests/spec and, longer, tests/proof."""

import asyncio
from typing import Any

from tests.table import Agent, Table

SECTION = "story"


async def check_that_no_update_is_lost(table: Table, session: str, agents: int, each: int) -> None:
    """Everybody reads the section, adds a line and writes it back with the version they read."""
    first = table.agent("first", session)
    await first.calls("write_draft_section", section_id=SECTION, content="")

    rounds = await asyncio.gather(
        *(_adds_lines(table.agent(f"agent {number}", session), number, each) for number in range(agents))
    )

    won = [line for lines in rounds for line in lines]
    final = await first.calls("read_draft", section_id=SECTION)
    assert final["versions"] == final["section"]["version"] == 1 + len(won)
    assert sorted(final["section"]["content"].splitlines()) == sorted(won)
    assert await _told_versions(first) == list(range(2, len(won) + 2))


async def check_that_no_text_is_lost(table: Table, session: str, agents: int, each: int) -> None:
    """Everybody writes without looking: the last one wins, and every text stays in the history."""

    async def writes(agent: Agent, number: int) -> dict[int, str]:
        texts = [f"agent {number} text {n}" for n in range(each)]
        written = [await agent.calls("write_draft_section", section_id=SECTION, content=text) for text in texts]
        return {result["section"]["version"]: text for result, text in zip(written, texts, strict=True)}

    rounds = await asyncio.gather(
        *(writes(table.agent(f"agent {number}", session), number) for number in range(agents))
    )

    sent = {version: text for texts in rounds for version, text in texts.items()}
    reader = table.agent("reader", session)
    assert sorted(sent) == list(range(1, agents * each + 1))
    for version, text in sent.items():
        kept = await reader.calls("read_draft", section_id=SECTION, version=version)
        assert kept["section"]["content"] == text


async def _adds_lines(agent: Agent, number: int, each: int) -> list[str]:
    won = []
    for n in range(each):
        seen = (await agent.calls("read_draft", section_id=SECTION))["section"]
        line = f"agent {number} line {n}"
        answer = await agent.tries(
            "write_draft_section",
            section_id=SECTION,
            content=f"{seen['content']}{line}\n",
            expected_version=seen["version"],
        )
        if answer["ok"]:
            won.append(line)
        else:
            _check_refusal(answer["error"], seen["version"])
    return won


def _check_refusal(error: dict[str, Any], seen: int) -> None:
    assert error["code"] == "VERSION_CONFLICT"
    current, diff = error["details"]["current_version"], error["details"]["diff"].splitlines()
    assert current > seen
    assert diff[:2] == [f"--- {SECTION} version {seen}", f"+++ {SECTION} version {current}"]
    assert len([line for line in diff[2:] if line.startswith("+")]) == current - seen


async def _told_versions(agent: Agent) -> list[int]:
    versions: list[int] = []
    after = 0
    while True:
        page = await agent.calls(
            "read_events", after=after, kinds=["scratchpad/section_updated"], limit=1000, max_chars=0
        )
        versions += [event["version"] for event in page["events"]]
        if len(page["events"]) < 1000:
            return versions
        after = page["next_after"]
