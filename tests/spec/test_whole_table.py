"""All workspace and message tools together, step by random step, beside a reference that fits on two pages."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.spec.reference import AGENTS, Reference
from tests.table import TRANSPORT, Agent, Table

STEPS = 5_000 if TRANSPORT == "memory" else 1_000
COMPARED_EVERY = 250
STATUSES = ["pending", "in_progress", "completed", "blocked", "failed", "cancelled"]

Step = tuple[str, dict[str, Any]]


class RandomCalls:
    """Thinks up the next call: mostly sensible, sometimes not."""

    def __init__(self, seed: int, state: Reference) -> None:
        self._dice = random.Random(seed)
        self._state = state
        self._ways: list[Callable[[], Step]] = [
            self._note,
            self._section,
            self._section,
            self._revert,
            self._tasks,
            self._update,
            self._update,
            self._claim,
            self._question,
            self._answers,
            self._withdrawal,
            self._message,
            self._message,
            self._memory,
            self._forget,
        ]

    def step(self) -> tuple[str, Step]:
        return self._dice.choice(list(AGENTS)), self._dice.choice(self._ways)()

    def _note(self) -> Step:
        arguments: dict[str, Any] = {"content": f"note {self._dice.random()}"}
        if self._dice.random() < 0.2:
            arguments["supersedes"] = f"n{self._dice.randint(1, len(self._state.notes) + 2)}"
        return "add_note", arguments

    def _section(self) -> Step:
        section_id = f"part-{self._dice.randint(1, 5)}"
        arguments: dict[str, Any] = {"section_id": section_id, "content": f"text {self._dice.random()}"}
        if self._dice.random() < 0.5:
            arguments["expected_version"] = max(0, len(self._state.sections.get(section_id, [])) - self._slip())
        return "write_draft_section", arguments

    def _revert(self) -> Step:
        section_id = f"part-{self._dice.randint(1, 6)}"
        newest = len(self._state.sections.get(section_id, []))
        return "revert_draft_section", {"section_id": section_id, "to_version": self._dice.randint(1, newest + 1)}

    def _tasks(self) -> Step:
        known = list(self._state.tasks)[-10:]
        batch = []
        for position in range(self._dice.randint(1, 3)):
            names = self._dice.sample(known, min(len(known), self._dice.randint(0, 2)))
            if self._dice.random() < 0.3:
                names.append(f"#{self._dice.randint(0, max(0, position - 1 + self._slip()))}")
            if self._dice.random() < 0.05:
                names.append("t99999")
            batch.append({"description": f"task {self._dice.random()}", "depends_on": names})
        size = len(batch)
        for task in batch:
            task["depends_on"] = [name for name in task["depends_on"] if name[0] != "#" or int(name[1:]) < size]
        return "add_tasks", {"tasks": batch}

    def _update(self) -> Step:
        task_id = self._task()
        arguments: dict[str, Any] = {"task_id": task_id, "status": self._dice.choice(STATUSES)}
        if task_id in self._state.tasks and self._dice.random() < 0.3:
            arguments["expected_version"] = self._state.tasks[task_id].version + self._slip()
        return "update_task", arguments

    def _claim(self) -> Step:
        ready = sorted(self._state.ready())
        name = self._dice.choice(ready) if ready and self._dice.random() < 0.7 else self._task()
        return "claim_task", {"task_id": name, "lease_seconds": 86_400}

    def _question(self) -> Step:
        return "add_question", {"question": f"why {self._dice.random()}?"}

    def _answers(self) -> Step:
        names = [f"q{self._dice.randint(1, len(self._state.questions) + 2)}" for _ in range(2)]
        return "submit_answers", {"answers": {name: f"because {self._dice.random()}" for name in names}}

    def _withdrawal(self) -> Step:
        return "withdraw_question", {"question_id": f"q{self._dice.randint(1, len(self._state.questions) + 2)}"}

    def _message(self) -> Step:
        visibility = self._dice.choice(["public", "public", "private", "agent_only"])
        arguments: dict[str, Any] = {"content": f"say {self._dice.random()}", "visibility": visibility}
        if self._dice.random() < 0.4:
            arguments["parent_message_id"] = self._dice.randint(1, len(self._state.messages) + 2)
        return "add_message", arguments

    def _memory(self) -> Step:
        arguments: dict[str, Any] = {"key": f"k{self._dice.randint(1, 5)}", "value": self._dice.random()}
        if self._dice.random() < 0.3:
            arguments["expected_version"] = self._dice.randint(0, 3)
        return "set_memory", arguments

    def _forget(self) -> Step:
        return "delete_memory", {"key": f"k{self._dice.randint(1, 6)}"}

    def _task(self) -> str:
        return f"t{self._dice.randint(max(1, len(self._state.tasks) - 20), len(self._state.tasks) + 2)}"

    def _slip(self) -> int:
        return 1 if self._dice.random() < 0.2 else 0


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_five_thousand_random_steps_leave_the_table_as_the_reference_says(table: Table) -> None:
    session = await table.session("sess_one")
    agents = {name: table.agent(name, session, **{"X-Agent-Type": kind}) for name, kind in AGENTS.items()}
    state = Reference()
    walk = RandomCalls(20_261_115, state)

    for number in range(1, STEPS + 1):
        agent, (tool, arguments) = walk.step()
        expected = getattr(state, tool)(agent, **{k: v for k, v in arguments.items() if k != "lease_seconds"})
        envelope = await agents[agent].tries(tool, **arguments)
        assert _code(envelope) == expected, f"step {number}: {agent} calls {tool} with {arguments}: {envelope}"
        if number % COMPARED_EVERY == 0:
            await _compare(agents, state)


def _code(envelope: dict[str, Any]) -> str:
    if envelope.get("ok", envelope.get("success")):
        return "SUCCESS"
    error = envelope["error"]
    return str(error["code"] if isinstance(error, dict) else envelope["code"])


async def _compare(agents: dict[str, Agent], state: Reference) -> None:
    ann = agents["ann"]
    assert await _all_notes(ann) == [(note["content"], note["author"]) for note in state.notes]
    sections = (await ann.calls("read_draft"))["sections"]
    assert {s["section_id"]: (s["content"], s["version"]) for s in sections} == {
        name: (versions[-1], len(versions)) for name, versions in state.sections.items()
    }
    plan = await ann.calls("read_plan", max_chars=0)
    shown = {task["id"]: (task["status"], task["version"], task["depends_on"]) for task in plan["tasks"]}
    assert shown == {name: (task.status, task.version, task.depends_on) for name, task in state.tasks.items()}
    assert {task["id"] for task in plan["tasks"] if task["ready"]} == state.ready()
    pending = {question["id"] for question in (await ann.calls("get_pending_questions", max_chars=0))["questions"]}
    assert pending == {name for name, question in state.questions.items() if question.status == "pending"}
    answered = (await ann.calls("get_answered_questions", max_chars=0))["questions"]
    assert {question["id"]: question["answer"] for question in answered} == {
        name: question.answer for name, question in state.questions.items() if question.status == "answered"
    }
    for name, agent in agents.items():
        assert await _all_messages(agent) == [
            number for number in range(1, len(state.messages) + 1) if state.sees(name, number)
        ]
        kept = (await agent.calls("list_memory"))["entries"]
        assert {entry["key"]: entry["version"] for entry in kept} == {
            key: version for (owner, key), (_, version) in state.memory.items() if owner == name
        }


async def _all_notes(agent: Agent) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    cursor: dict[str, Any] = {}
    while True:
        page = await agent.calls("read_notes", limit=500, order="oldest", **cursor)
        found += [(note["content"], note["author"]) for note in page["notes"]]
        if page["next_cursor"] is None:
            return found
        cursor = {"cursor": page["next_cursor"]}


async def _all_messages(agent: Agent) -> list[int]:
    found: list[int] = []
    after = 0
    while True:
        page = await agent.calls("get_messages", limit=1000, after_id=after)
        found += [message["id"] for message in page["messages"]]
        after = page["next_after_id"]
        if not page["has_more"]:
            return found
