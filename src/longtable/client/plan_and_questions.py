"""The plan of the session, and the questions to the people behind it."""

from collections.abc import Mapping, Sequence
from typing import Any, Required, TypedDict

from longtable.client.tool_methods import ToolMethods
from longtable.plan.model import PlanRead, Priority, Status, TaskClaimed, TaskRenewed, TasksAdded, TaskUpdated
from longtable.questions.model import (
    AnsweredQuestions,
    AnswersAwaited,
    AnswersSubmitted,
    CheckpointShown,
    PauseChecked,
    PendingQuestions,
    QuestionShown,
)


class TaskFields(TypedDict, total=False):
    """`depends_on` holds ids such as t3, or #0, #1, ... for the tasks of the same call."""

    description: Required[str]
    assigned_to: str
    depends_on: list[str]
    priority: Priority
    metadata: dict[str, Any]


class PlanAndQuestions(ToolMethods):
    async def add_tasks(self, tasks: Sequence[TaskFields], *, idempotency_key: str | None = None) -> TasksAdded:
        return await self._write("add_tasks", TasksAdded, idempotency_key, tasks=list(tasks))

    async def update_task(  # noqa: PLR0913 - each one is an argument of the tool
        self,
        task_id: str,
        *,
        status: Status | None = None,
        assigned_to: str | None = None,
        unassign: bool = False,
        description: str | None = None,
        note: str | None = None,
        expected_version: int | None = None,
        lease: str | None = None,
        force: bool = False,
        idempotency_key: str | None = None,
    ) -> TaskUpdated:
        return await self._write(
            "update_task",
            TaskUpdated,
            idempotency_key,
            task_id=task_id,
            status=status,
            assigned_to=assigned_to,
            unassign=unassign,
            description=description,
            note=note,
            expected_version=expected_version,
            lease=lease,
            force=force,
        )

    async def claim_task(
        self, task_id: str | None = None, *, lease_seconds: int | str = 600, idempotency_key: str | None = None
    ) -> TaskClaimed:
        return await self._write(
            "claim_task", TaskClaimed, idempotency_key, task_id=task_id, lease_seconds=lease_seconds
        )

    async def renew_task(
        self, task_id: str, lease: str, *, lease_seconds: int | str = 600, idempotency_key: str | None = None
    ) -> TaskRenewed:
        return await self._write(
            "renew_task", TaskRenewed, idempotency_key, task_id=task_id, lease=lease, lease_seconds=lease_seconds
        )

    async def read_plan(
        self, *, status: Status | None = None, assigned_to: str | None = None, ready: bool | None = None
    ) -> PlanRead:
        return await self._read("read_plan", PlanRead, status=status, assigned_to=assigned_to, ready=ready)

    async def add_question(  # noqa: PLR0913 - each one is an argument of the tool
        self,
        question: str,
        *,
        context: str | None = None,
        priority: Priority = "medium",
        blocking: bool = False,
        options: Sequence[str] | None = None,
        expires_in: str | int | None = None,
        require_human: bool = False,
        idempotency_key: str | None = None,
    ) -> QuestionShown:
        return await self._write(
            "add_question",
            QuestionShown,
            idempotency_key,
            question=question,
            context=context,
            priority=priority,
            blocking=blocking,
            options=None if options is None else list(options),
            expires_in=expires_in,
            require_human=require_human,
        )

    async def withdraw_question(self, question_id: str, *, idempotency_key: str | None = None) -> QuestionShown:
        return await self._write("withdraw_question", QuestionShown, idempotency_key, question_id=question_id)

    async def get_pending_questions(
        self, *, priority: Priority | None = None, blocking: bool | None = None
    ) -> PendingQuestions:
        return await self._read("get_pending_questions", PendingQuestions, priority=priority, blocking=blocking)

    async def get_answered_questions(self, *, since: str | None = None) -> AnsweredQuestions:
        return await self._read("get_answered_questions", AnsweredQuestions, since=since)

    async def submit_answers(
        self, answers: Mapping[str, str], *, idempotency_key: str | None = None
    ) -> AnswersSubmitted:
        return await self._write("submit_answers", AnswersSubmitted, idempotency_key, answers=dict(answers))

    async def wait_for_answers(
        self, question_ids: Sequence[str] | None = None, *, timeout_seconds: float | str = 25
    ) -> AnswersAwaited:
        wanted = None if question_ids is None else list(question_ids)
        return await self._read(
            "wait_for_answers", AnswersAwaited, question_ids=wanted, timeout_seconds=timeout_seconds
        )

    async def check_pause(
        self,
        *,
        at_phase_boundary: bool = False,
        agent_requested: bool = False,
        threshold: int = 3,
        idempotency_key: str | None = None,
    ) -> PauseChecked:
        return await self._write(
            "check_pause",
            PauseChecked,
            idempotency_key,
            at_phase_boundary=at_phase_boundary,
            agent_requested=agent_requested,
            threshold=threshold,
        )

    async def resume_checkpoint(self, checkpoint_id: str, *, idempotency_key: str | None = None) -> CheckpointShown:
        return await self._write("resume_checkpoint", CheckpointShown, idempotency_key, checkpoint_id=checkpoint_id)
