"""Prompts of our own: short texts for what agents do again and again at a table, and completion for what they name.
Those of other servers come after them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import mcp_types as types

from longtable.kernel.errors import InvalidArgument, LongtableError, NotFound
from longtable.kernel.suggestions import did_you_mean
from longtable.server.senders import Context, MessageSender, Recognise, check_single_page, wrong_parameters
from longtable.server.upstream_requests import UpstreamRequestHandlers
from longtable.toolkit.dispatch import Dispatcher, Invocation

_MOST = 100
"""Values in one completion, as the protocol allows."""
_MAX_CHARACTERS: Final = 10_000


@dataclass(frozen=True, slots=True)
class _Suggested:
    """Values for an argument: what `of` finds in the result of a tool."""

    tool: str
    arguments: Mapping[str, Any]
    of: Callable[[Mapping[str, Any]], Iterable[str]]


_READY = _Suggested("read_plan", {"ready": True}, lambda plan: (task["id"] for task in plan["tasks"]))
_SECTIONS = _Suggested("list_sections", {}, lambda draft: (section["section_id"] for section in draft["sections"]))
_AGENTS = _Suggested("brief", {}, lambda brief: (each["agent"] for each in brief.get("agents", ())))


@dataclass(frozen=True, slots=True)
class _Argument:
    name: str
    description: str
    required: bool = False
    suggested: _Suggested | None = None


@dataclass(frozen=True, slots=True)
class TablePrompt:
    """`text` names its arguments; an optional one that is left out becomes the text in `otherwise`."""

    title: str
    description: str
    text: str
    arguments: tuple[_Argument, ...] = ()
    otherwise: Mapping[str, str] | None = None

    def filled(self, given: Mapping[str, str]) -> str:
        """Raises InvalidArgument."""
        self._check(given)
        chosen = {**(self.otherwise or {}), **{name: value for name, value in given.items() if value}}
        # Not `format`: braces in what was given are its own.
        text = self.text
        for argument in self.arguments:
            text = text.replace(f"<{argument.name}>", chosen.get(argument.name, ""))
        return text

    def _check(self, given: Mapping[str, str]) -> None:
        known = [argument.name for argument in self.arguments]
        for name, value in given.items():
            if name not in known:
                raise InvalidArgument.at(name, f"is not an argument of this prompt: {', '.join(known)}")
            if len(value) > _MAX_CHARACTERS:
                raise InvalidArgument.at(name, f"must have at most {_MAX_CHARACTERS:,} characters")
        for argument in self.arguments:
            if argument.required and not given.get(argument.name):
                raise InvalidArgument.at(argument.name, "is required")


PROMPTS: Final[Mapping[str, TablePrompt]] = {
    "join_table": TablePrompt(
        "Join the table",
        "Arrive in a session and find out what to do.",
        "You share this table with other agents and with people. Call brief first. Read what waits for you and answer "
        "it. Then take a task with claim_task, or say with add_message what you can do. Note what you learn with "
        "add_note, ask people with add_question when only they can decide, and wait with wait_for_messages or "
        "wait_for_answers instead of asking again and again. Your part: <goal>",
        (_Argument("goal", "What you are here for."),),
        {"goal": "whatever the plan needs next."},
    ),
    "take_a_task": TablePrompt(
        "Take a task",
        "Claim a task, do it, and finish it.",
        "Claim <task_id> with claim_task. If somebody has it, take another. Before you begin, look with search_context "
        "for what is known. Renew the lease with renew_task while you work. When it is done, pin what others need with "
        "add_note and set its status to completed with update_task; if you cannot do it, set it to blocked and say why "
        "in a note.",
        (_Argument("task_id", "Which task; else the best that is ready.", suggested=_READY),),
        {"task_id": "the best task that is ready"},
    ),
    "hand_over": TablePrompt(
        "Hand over",
        "Leave your work so that another can go on.",
        "You stop here; <to> goes on. Pin one note, tagged handover, with what is done, what is not, and what you "
        "would do next, with the ids of notes, tasks and sections. Write down unfinished text with "
        "write_draft_section. Give your tasks back: update_task with unassign. Then tell it with add_message.",
        (_Argument("to", "The agent who goes on; else anyone.", suggested=_AGENTS),),
        {"to": "another agent"},
    ),
    "review_section": TablePrompt(
        "Review a section",
        "Read a section of the draft and say what should change.",
        "Read the section <section_id> with read_draft, and the notes behind it with search_context. Check each "
        "claim. Pin what is wrong or missing as one note, tagged review, that quotes the words. Change the text "
        "yourself only where it is plainly wrong: write_draft_section with expected_version.",
        (_Argument("section_id", "Which section.", required=True, suggested=_SECTIONS),),
    ),
    "ask_a_human": TablePrompt(
        "Ask a human",
        "Put a question that a person can answer at a glance.",
        "Ask with add_question: <question> Say in context what depends on it and what you will do otherwise. Offer two "
        "to four options if you can. Set blocking only if all work must stop. Then go on with other work, or wait with "
        "wait_for_answers.",
        (_Argument("question", "What you need to know.", required=True),),
    ),
}


class Prompts:
    """The requests about prompts and completion."""

    def __init__(self, dispatcher: Dispatcher, recognise: Recognise, upstreams: UpstreamRequestHandlers | None) -> None:
        self._dispatcher = dispatcher
        self._recognise = recognise
        self._upstreams = upstreams

    async def list_all(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        check_single_page(params)
        sender = await self._recognise(ctx)
        others = await self._upstreams.prompts(ctx, sender) if self._upstreams is not None else []
        return types.ListPromptsResult(prompts=[*_LISTED, *map(types.Prompt.model_validate, others)])

    async def get(self, ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        prompt, sender = PROMPTS.get(params.name), await self._recognise(ctx)
        if prompt is None and self._upstreams is not None and await self._upstreams.is_used(sender):
            return await self._upstreams.get_prompt(ctx, sender, params)
        try:
            if prompt is None:
                hint = did_you_mean(params.name, PROMPTS, "prompts/list shows those there are.")
                raise NotFound(f"There is no prompt {params.name[:100]!r}.", hint=hint)
            text = prompt.filled(params.arguments or {})
        except LongtableError as error:
            raise wrong_parameters(error) from error
        message = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(description=prompt.description, messages=[message])

    async def complete(self, ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        prompt = PROMPTS.get(params.ref.name) if isinstance(params.ref, types.PromptReference) else None
        sender = await self._recognise(ctx)
        if prompt is None and self._upstreams is not None and await self._upstreams.is_used(sender):
            return await self._upstreams.complete(ctx, sender, params)
        found = await self._suggestions(sender, prompt, params.argument.name)
        fitting = [value for value in found if value.startswith(params.argument.value)]
        completion = types.Completion(values=fitting[:_MOST], total=len(fitting), has_more=len(fitting) > _MOST)
        return types.CompleteResult(completion=completion)

    async def _suggestions(self, sender: MessageSender, prompt: TablePrompt | None, name: str) -> list[str]:
        """Empty where the caller has no session: a missing completion is no error."""
        for argument in prompt.arguments if prompt is not None else ():
            if argument.name == name and argument.suggested is not None:
                suggested = argument.suggested
                outcome = await self._dispatcher.call(
                    Invocation(
                        suggested.tool,
                        dict(suggested.arguments),
                        sender.caller,
                        sender.current_session,
                        refusal=sender.refusal,
                        as_resource=True,
                    )
                )
                return [] if outcome.error is not None else list(suggested.of(outcome.body))
        return []


_LISTED: Final = [
    types.Prompt(
        name=name,
        title=prompt.title,
        description=prompt.description,
        arguments=[
            types.PromptArgument(name=each.name, description=each.description, required=each.required)
            for each in prompt.arguments
        ],
    )
    for name, prompt in PROMPTS.items()
]
