"""The gateway's own tools as clients see them."""

from functools import partial
from typing import Any

from longtable.gateway import builtin_arguments as arguments
from longtable.gateway.builtins import LAYOUT, PROJECT, BuiltinResult, Builtins
from longtable.identity.model import WORKERS
from longtable.toolkit.tool import Scope, Tool


def builtin_tools(builtins: Builtins) -> list[Tool[Any]]:
    """Tools with `needs="backend"` are offered only where there is one."""
    tool: Any = partial(Tool, result=BuiltinResult, group="gateway", scope=Scope.TENANT, roles=WORKERS)
    backend = partial(tool, needs="backend")
    return [
        *_lens(backend, builtins),
        *_confirm(partial(tool, needs="gateway"), builtins),
        *_intents(partial(backend, writes=True), builtins),
        *_chats(partial(backend, writes=True), builtins),
        *_executions(partial(tool, needs="gateway"), builtins),
    ]


def _lens(tool: Any, builtins: Builtins) -> list[Tool[Any]]:
    return [
        tool(
            name="mindscape_lens_list_schemas",
            title="Read the lens schema of a role",
            description="Read the dimensions in which a role can be tuned.",
            arguments=arguments.ListLensSchemas,
            run=builtins.list_schemas,
            audited_as="lens_schema_read",
        ),
        tool(
            name="mindscape_lens_resolve",
            title="Resolve a lens",
            description="Work out the lens that holds for a role in a workspace.",
            arguments=arguments.ResolveLens,
            run=builtins.resolve_lens,
            audited_as="lens_resolved",
        ),
        tool(
            name="mindscape_lens_get_effective",
            title="Read the effective lens",
            description="Read the lens that holds now: that of the profile, with what workspace and session change.",
            arguments=arguments.EffectiveLens,
            run=builtins.effective_lens,
            audited_as="lens_read",
        ),
    ]


def _confirm(tool: Any, builtins: Builtins) -> list[Tool[Any]]:
    return [
        tool(
            name="mindscape_confirm_request",
            title="Ask a person to allow a call",
            description="Ask a person to allow one exact call of a governed tool. Only people can allow it.",
            arguments=arguments.RequestConfirmation,
            run=builtins.request_confirmation,
            audited_as="confirmation_requested",
            writes=True,
        ),
        tool(
            name="mindscape_confirm_status",
            title="Ask what a person decided",
            description="Tell whether a person has allowed or refused a call of yours.",
            arguments=arguments.ConfirmationStatus,
            run=builtins.confirmation_status,
            audited_as="confirmation_read",
        ),
    ]


def _intents(tool: Any, builtins: Builtins) -> list[Tool[Any]]:
    return [
        tool(
            name="mindscape_intent_submit",
            title="Submit intents",
            description="Tell the backend which intents and themes you have recognised in a message.",
            arguments=arguments.SubmitIntent,
            run=partial(builtins.post, path="/mcp/intent/submit"),
            audited_as="intents_submitted",
        ),
        tool(
            name=LAYOUT.name,
            title="Carry out an intent layout",
            description=LAYOUT.description,
            arguments=LAYOUT.arguments,
            run=partial(builtins.post, path="/mcp/intent/layout/execute"),
            audited_as="intent_layout_executed",
            destructive=True,
        ),
    ]


def _chats(tool: Any, builtins: Builtins) -> list[Tool[Any]]:
    return [
        tool(
            name="mindscape_chat_sync",
            title="Pass a conversation on",
            description="Pass messages of a conversation on to the backend.",
            arguments=arguments.SyncChat,
            run=partial(builtins.post, path="/mcp/chat/sync"),
            audited_as="chat_synced",
        ),
        tool(
            name=PROJECT.name,
            title="Create a detected project",
            description=PROJECT.description,
            arguments=PROJECT.arguments,
            run=partial(builtins.post, path="/mcp/project/detect"),
            audited_as="project_detected",
            destructive=True,
        ),
    ]


def _executions(tool: Any, builtins: Builtins) -> list[Tool[Any]]:
    return [
        tool(
            name="mindscape_execution_status",
            title="Ask how far an execution is",
            description="Tell how far a playbook of yours is that goes on after its call was answered.",
            arguments=arguments.ExecutionStatus,
            run=builtins.execution_status,
            audited_as="execution_read",
        ),
        tool(
            name="mindscape_execution_wait",
            title="Wait for an execution",
            description="Wait until such a playbook has ended.",
            arguments=arguments.ExecutionWait,
            run=builtins.execution_wait,
            audited_as="execution_awaited",
        ),
    ]
