"""A reference for the whole table: small, plain, in memory. What it says must be what the server says."""

from dataclasses import dataclass, field
from typing import Any

AGENTS = {"ann": "analyst", "bea": "analyst", "cid": "writer"}
DONE = ("completed", "cancelled")


@dataclass
class ReferenceTask:
    description: str
    depends_on: list[str]
    status: str = "pending"
    version: int = 1
    holder: str | None = None
    assigned_to: str | None = None


@dataclass
class ExpectedQuestion:
    asked_by: str
    status: str = "pending"
    answer: str | None = None


@dataclass
class ExpectedMessage:
    sender: str
    content: str
    visibility: str
    parent: int | None


@dataclass
class Reference:
    """Each method answers the code that the server must give and, on SUCCESS, changes the state as it must."""

    notes: list[dict[str, Any]] = field(default_factory=list)
    sections: dict[str, list[str]] = field(default_factory=dict)
    tasks: dict[str, ReferenceTask] = field(default_factory=dict)
    questions: dict[str, ExpectedQuestion] = field(default_factory=dict)
    messages: list[ExpectedMessage] = field(default_factory=list)
    memory: dict[tuple[str, str], tuple[Any, int]] = field(default_factory=dict)

    def add_note(self, agent: str, content: str, supersedes: str | None = None) -> str:
        if supersedes is not None and int(supersedes[1:]) > len(self.notes):
            return "NOT_FOUND"
        self.notes.append({"content": content, "author": agent})
        return "SUCCESS"

    def write_draft_section(
        self, agent: str, section_id: str, content: str, expected_version: int | None = None
    ) -> str:
        versions = self.sections.get(section_id, [])
        if expected_version is not None and expected_version != len(versions):
            return "VERSION_CONFLICT"
        self.sections.setdefault(section_id, []).append(content)
        return "SUCCESS"

    def revert_draft_section(self, agent: str, section_id: str, to_version: int) -> str:
        versions = self.sections.get(section_id)
        if versions is None or to_version > len(versions):
            return "NOT_FOUND"
        versions.append(versions[to_version - 1])
        return "SUCCESS"

    def add_tasks(self, agent: str, tasks: list[dict[str, Any]]) -> str:
        first = len(self.tasks) + 1
        resolved: dict[str, list[str]] = {}
        for position, task in enumerate(tasks):
            names = [
                f"t{first + int(name[1:])}" if name.startswith("#") else name for name in task.get("depends_on", [])
            ]
            resolved[f"t{first + position}"] = list(dict.fromkeys(names))
        if any(name not in self.tasks and name not in resolved for names in resolved.values() for name in names):
            return "NOT_FOUND"
        if _has_circle(resolved):
            return "DEPENDENCY_CYCLE"
        for name, task in zip(resolved, tasks, strict=True):
            self.tasks[name] = ReferenceTask(task["description"], resolved[name])
        return "SUCCESS"

    def update_task(self, agent: str, task_id: str, status: str, expected_version: int | None = None) -> str:
        task = self.tasks.get(task_id)
        if task is None:
            return "NOT_FOUND"
        if task.holder not in (None, agent):
            return "CONFLICT"
        if expected_version is not None and expected_version != task.version:
            return "VERSION_CONFLICT"
        if status in ("in_progress", "completed") and self.open_dependencies(task_id) and status != task.status:
            return "DEPENDENCY_UNMET"
        if status != task.status:
            # Given back it is as it was; otherwise it stays with whoever had it.
            task.assigned_to = task.assigned_to if status == "pending" else task.holder or task.assigned_to
            task.status, task.version, task.holder = status, task.version + 1, None
        return "SUCCESS"

    def claim_task(self, agent: str, task_id: str) -> str:
        task = self.tasks.get(task_id)
        if task is None:
            return "NOT_FOUND"
        if task.status != "pending" or task.assigned_to not in (None, agent):
            return "CONFLICT"
        if self.open_dependencies(task_id):
            return "DEPENDENCY_UNMET"
        task.status, task.holder, task.version = "in_progress", agent, task.version + 1
        return "SUCCESS"

    def add_question(self, agent: str, question: str) -> str:
        self.questions[f"q{len(self.questions) + 1}"] = ExpectedQuestion(agent)
        return "SUCCESS"

    def submit_answers(self, agent: str, answers: dict[str, str]) -> str:
        asked = {name: self.questions[name] for name in answers if name in self.questions}
        pending = {name: question for name, question in asked.items() if question.status == "pending"}
        if any(question.asked_by == agent for question in pending.values()):
            return "FORBIDDEN"
        for name, question in pending.items():
            question.status, question.answer = "answered", answers[name]
        return "SUCCESS"

    def withdraw_question(self, agent: str, question_id: str) -> str:
        question = self.questions.get(question_id)
        if question is None:
            return "NOT_FOUND"
        if question.asked_by != agent:
            return "FORBIDDEN"
        if question.status != "pending":
            return "ALREADY_ANSWERED" if question.status == "answered" else "CONFLICT"
        question.status = "withdrawn"
        return "SUCCESS"

    def add_message(
        self, agent: str, content: str, visibility: str = "public", parent_message_id: int | None = None
    ) -> str:
        if parent_message_id is not None:
            if parent_message_id > len(self.messages) or not self.sees(agent, parent_message_id):
                return "NOT_FOUND"
            reach = ("private", "agent_only", "public")
            if reach.index(visibility) > reach.index(self.messages[parent_message_id - 1].visibility):
                return "INVALID_ARGUMENT"
        self.messages.append(ExpectedMessage(agent, content, visibility, parent_message_id))
        return "SUCCESS"

    def set_memory(self, agent: str, key: str, value: Any, expected_version: int | None = None) -> str:
        version = self.memory.get((agent, key), (None, 0))[1]
        if expected_version is not None and expected_version != version:
            return "VERSION_CONFLICT"
        self.memory[agent, key] = (value, version + 1)
        return "SUCCESS"

    def delete_memory(self, agent: str, key: str) -> str:
        self.memory.pop((agent, key), None)
        return "SUCCESS"

    def sees(self, agent: str, number: int) -> bool:
        message = self.messages[number - 1]
        if message.visibility == "public":
            return True
        if message.visibility == "private":
            return message.sender == agent
        return AGENTS[message.sender] == AGENTS[agent]

    def open_dependencies(self, task_id: str) -> list[str]:
        return [name for name in self.tasks[task_id].depends_on if self.tasks[name].status not in DONE]

    def ready(self) -> set[str]:
        return {
            name for name, task in self.tasks.items() if task.status == "pending" and not self.open_dependencies(name)
        }


def _has_circle(edges: dict[str, list[str]]) -> bool:
    left = {name: {other for other in others if other in edges} for name, others in edges.items()}
    while free := [name for name, others in left.items() if not others]:
        for name in free:
            del left[name]
        for others in left.values():
            others.difference_update(free)
    return bool(left)
