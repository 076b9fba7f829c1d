"""Arguments of the gateway's own tools. Their names are those of the program that the tools come from."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from longtable.kernel.content import Moment, Text
from longtable.toolkit.durations import BRIEF_FORMS, Seconds
from longtable.toolkit.json_objects import JsonObject
from longtable.toolkit.tool import MAX_ITEMS, Arguments, WriteArguments

MAX_WAIT = 50

Name = Annotated[Text, StringConstraints(min_length=1, max_length=256)]
LongText = Annotated[Text, StringConstraints(max_length=65_536)]
Names = Annotated[list[Name], Field(max_length=200)]
Fraction = Annotated[float, Field(ge=0, le=1)]

_WHERE = "Where it takes place; found for you when left out."
_ABOUT = "The conversation behind this call."
_PROFILE = "Whom it is for; only those who speak for others may name another than themselves."
_TOKEN = "The token of the refusal that told you to ask a person, once the person has agreed."


class WorkspaceArguments(Arguments):
    workspace_id: Name | None = Field(default=None, description=_WHERE)
    context: dict[str, Any] | None = Field(default=None, alias="_context", max_length=MAX_ITEMS, description=_ABOUT)


class WorkspaceWriteArguments(WriteArguments):
    workspace_id: Name | None = Field(default=None, description=_WHERE)
    context: dict[str, Any] | None = Field(default=None, alias="_context", max_length=MAX_ITEMS, description=_ABOUT)


class ListLensSchemas(Arguments):
    role: Name = Field(default="writer", description="The role whose schema is wanted.")
    context: dict[str, Any] | None = Field(default=None, alias="_context", max_length=MAX_ITEMS, description=_ABOUT)


class ResolveLens(WorkspaceArguments):
    session_id: Name | None = Field(default=None, description="Session of the backend.")
    role_hint: Name | None = None
    playbook_id: Name | None = None


class EffectiveLens(WorkspaceArguments):
    session_id: Name | None = Field(default=None, description="Session of the backend.")


class RequestConfirmation(WorkspaceWriteArguments):
    tool_name: Name = Field(description="The tool that needs a person's word.")
    action_preview: LongText | None = Field(default=None, description="What you want to do, in your own words.")
    inputs: JsonObject | None = Field(
        default=None,
        description="The exact inputs, as a JSON object: a person decides about one call, not about a tool.",
    )


class ConfirmationStatus(Arguments):
    token: Name = Field(description="The confirm_token, or the confirmation_id.")
    context: dict[str, Any] | None = Field(default=None, alias="_context", max_length=MAX_ITEMS, description=_ABOUT)


class ExtractedIntent(Arguments):
    label: Name
    confidence: Fraction | None = None
    source: Name | None = None
    metadata: JsonObject | None = None


class SubmitIntent(WorkspaceWriteArguments):
    message: LongText
    message_id: Name | None = None
    profile_id: Name | None = Field(default=None, description=_PROFILE)
    extracted_intents: list[ExtractedIntent] = Field(max_length=200)
    extracted_themes: Names | None = None


class IntentData(Arguments):
    title: Name | None = None
    description: LongText | None = None
    priority: Literal["high", "medium", "low"] | None = None
    status: Name | None = None
    tags: Names | None = None


class IntentOperation(Arguments):
    operation_type: Literal["CREATE_INTENT_CARD", "UPDATE_INTENT_CARD", "ARCHIVE"]
    intent_data: IntentData
    intent_id: Name | None = None
    confidence: Fraction | None = None
    reasoning: LongText | None = None


class EphemeralTask(Arguments):
    title: Name
    signal_id: Name | None = None
    description: LongText | None = None
    reasoning: LongText | None = None


class LayoutPlan(Arguments):
    long_term_intents: list[IntentOperation] = Field(max_length=200)
    ephemeral_tasks: list[EphemeralTask] | None = Field(default=None, max_length=200)


class ExecuteLayout(WorkspaceWriteArguments):
    layout_plan: LayoutPlan
    profile_id: Name | None = Field(default=None, description=_PROFILE)
    confirm_token: Name | None = Field(default=None, description=_TOKEN)


class ChatMessage(Arguments):
    role: Literal["user", "assistant"]
    content: LongText
    timestamp: Moment | None = None
    message_id: Name | None = None


class Receipt(Arguments):
    step: Literal["intent_extract", "steward_analyze", "project_detect"]
    trace_id: Name
    output_hash: Name
    output_summary: LongText | None = None
    completed_at: Moment | None = None


class SyncChat(WorkspaceWriteArguments):
    conversation_id: Name
    messages: list[ChatMessage] = Field(max_length=500)
    trace_id: Name | None = None
    surface_type: Name | None = Field(default=None, description="Such as cursor, windsurf, copilot or antigravity.")
    profile_id: Name | None = Field(default=None, description=_PROFILE)
    playbook_executed: Name | None = None
    ide_receipts: list[Receipt] | None = Field(default=None, max_length=50)


class DetectedProject(Arguments):
    project_title: Name
    mode: Literal["quick_task", "micro_flow", "project"] | None = None
    project_type: Name | None = None
    playbook_sequence: Names | None = None
    initial_spec_md: LongText | None = None
    confidence: Fraction | None = None


class DetectProject(WorkspaceWriteArguments):
    message: LongText
    detected_project: DetectedProject
    profile_id: Name | None = Field(default=None, description=_PROFILE)
    confirm_token: Name | None = Field(default=None, description=_TOKEN)


class ExecutionStatus(Arguments):
    execution_id: Name


class ExecutionWait(Arguments):
    execution_id: Name
    wait_seconds: Annotated[float, Seconds(0, MAX_WAIT, parts=True)] = Field(
        default=30, description=f"How long to wait for its end: {BRIEF_FORMS}; at most {MAX_WAIT}."
    )
