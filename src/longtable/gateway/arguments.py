"""What the tools about the gateway take."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from longtable.kernel.content import Text
from longtable.toolkit.answer_size import MaxChars
from longtable.toolkit.json_objects import JsonObject
from longtable.toolkit.tool import MAX_ITEMS, Arguments, WriteArguments
from longtable.upstreams.entries import MCP_KEYS, OPENAPI_KEYS

_ENTRY_KEYS = frozenset((*MCP_KEYS, *OPENAPI_KEYS))


def _in_a_path(name: str) -> str:
    """An upstream is changed and removed at /upstreams/NAME."""
    if "/" in name or name in (".", ".."):
        raise ValueError("must not contain a slash, nor be one or two dots")
    return name


class NoArguments(Arguments):
    pass


class SearchUpstreamTools(MaxChars):
    query: Text = Field(default="", description="Words of the name or the description.")
    limit: int = Field(default=10, ge=1, le=100)


class CallTool(WriteArguments):
    tool: Annotated[Text, StringConstraints(min_length=1)] = Field(
        description="Name, as gateway_search_tools shows it."
    )
    inputs: JsonObject | None = Field(default=None, description="The tool's own arguments, as a JSON object.")
    workspace_id: Text | None = None
    context: dict[str, Any] | None = Field(default=None, alias="_context", max_length=MAX_ITEMS)
    confirm_token: Text | None = None


class AcceptTool(WriteArguments):
    upstream: Text
    tool: Text = Field(description="What the upstream calls it.")
    digest: Text | None = Field(default=None, description="Refuse if it is not this definition that waits.")


class SwitchUpstream(WriteArguments):
    upstream: Text
    on: bool = Field(description="False: nobody may use its tools until it is switched on again.")


class NamedUpstream(WriteArguments):
    upstream: Text


class ListUpstreams(Arguments):
    refresh: bool = Field(default=True, description="False: as last listed, without a request to any of them.")


class ShowUpstream(Arguments):
    name: Text


class EntryArguments(WriteArguments):
    """The keys of an entry may also stand beside the name, as people write them first."""

    @model_validator(mode="before")
    @classmethod
    def _with_entry(cls, raw: Any) -> Any:
        if not isinstance(raw, dict) or "entry" in raw:
            return raw
        entry = {key: value for key, value in raw.items() if key in _ENTRY_KEYS - cls.model_fields.keys()}
        return {**{key: value for key, value in raw.items() if key not in entry}, "entry": entry} if entry else raw


class AddUpstream(EntryArguments):
    name: Annotated[Text, StringConstraints(min_length=1, max_length=64), AfterValidator(_in_a_path)]
    entry: dict[str, Any] = Field(
        max_length=MAX_ITEMS, description="As under mcpServers or openapi in the gateway file."
    )
    enabled: bool = True
    accept: bool = Field(default=False, description="Accept the tools that it has now; else they wait for a person.")


class ChangeUpstream(EntryArguments):
    name: Text
    entry: dict[str, Any] | None = Field(
        default=None, max_length=MAX_ITEMS, description="The whole entry; what it repeats as [hidden] stays."
    )
    enabled: bool | None = None
    accept: bool = Field(default=False, description="Accept the tools that it has now.")


class RemoveUpstream(WriteArguments):
    name: Text


class SetRules(WriteArguments):
    rules: list[Annotated[dict[str, Any], Field(max_length=MAX_ITEMS)]] = Field(
        max_length=MAX_ITEMS, description="All rules of the owner; those of the file stay."
    )
    expected_version: Annotated[int, Field(ge=0, le=2**62)] | None = None


class ListIntents(Arguments):
    conversation_id: Text | None = None
    limit: int = Field(default=50, ge=1, le=500)
    cursor: str | None = None


class ReadCall(Arguments):
    call_id: Text


class ListCalls(Arguments):
    upstream: Text | None = Field(default=None, description="Only calls of its tools.")
    session_id: Text | None = Field(default=None, description="Only calls from this session.")
    limit: int = Field(default=50, ge=1, le=500)
    cursor: str | None = Field(default=None, description="next_cursor of the page before.")
