"""Which tools of an upstream are left out, and why."""

from collections import Counter
from collections.abc import Iterator, Sequence

from longtable.governance.model import PolicyDecision, ToolDefinition, WithheldTool


def storable_tools(definitions: Sequence[ToolDefinition]) -> list[ToolDefinition]:
    """Without definitions that no store can keep, and without ambiguous ones."""
    times = Counter(definition.remote for definition in definitions)
    return [each for each in definitions if times[each.remote] == 1 and each.is_storable]


def denied_tools(decided: Sequence[tuple[ToolDefinition, PolicyDecision]]) -> list[WithheldTool]:
    return [
        WithheldTool(definition.remote, "denied", decision.reason)
        for definition, decision in decided
        if not decision.listed
    ]


def not_storable_tools(
    definitions: Sequence[ToolDefinition], storable: Sequence[ToolDefinition]
) -> Iterator[WithheldTool]:
    if len(definitions) != len(storable):
        kept = {definition.remote for definition in storable}
        for name in dict.fromkeys(each.remote for each in definitions if each.remote not in kept):
            shown = name.replace("\0", "\ufffd").encode(errors="replace").decode()
            yield WithheldTool(shown, "malformed", "it is listed twice, or holds text that cannot be stored")
