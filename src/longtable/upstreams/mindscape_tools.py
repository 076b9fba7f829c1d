"""The tools and playbooks that a Mindscape backend lists, as definitions: each identity once, every schema whole."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from longtable.governance.model import Facts, ToolDefinition, ToolIdentity, WithheldTool
from longtable.governance.verbs import NameEffect, effect_by_name, tokens
from longtable.upstreams.mindscape_client import NAME

PLAYBOOK = "playbook:"
"""Prefix of a playbook's code: a tool may have the same id."""
NO_PACK = "default"
_LONGEST_ID = 500
_PREFERRED_LOCALES = ("en", "en-US", "")

_OPERATIONS = (
    ("payment", frozenset({"pay", "charge", "payment", "purchase", "checkout", "refund"})),
    ("delete", frozenset({"delete", "remove", "drop", "truncate", "purge", "destroy", "erase", "wipe", "nuke"})),
    ("publish", frozenset({"publish", "deploy", "release", "send"})),
)
_WRITES = frozenset({"soft_write", "external_write", "destructive"})


def read_definitions(listed: Any) -> list[ToolDefinition]:
    """From the response of `/tools/filtered`. Malformed items are left out."""
    if not isinstance(listed, dict):
        return []
    tools = [_tool(item) for item in _items(listed.get("tools"))]
    playbooks = [_playbook(item) for item in _in_one_locale(_items(listed.get("playbooks")))]
    by_remote: dict[str, ToolDefinition] = {}
    for definition in (*tools, *playbooks):
        if definition is not None and _can_be_pinned(definition):
            by_remote.setdefault(definition.remote, definition)
    return list(by_remote.values())


def read_withheld(listed: Any, definitions: Iterable[ToolDefinition]) -> list[WithheldTool]:
    """What the backend lists beside those definitions."""
    lists = listed if isinstance(listed, dict) else {}
    known = {definition.remote for definition in definitions}
    items = [
        *((item, _text(item, "tool_id")) for item in _items(lists.get("tools"))),
        *((item, PLAYBOOK + _code(item)) for item in _items(lists.get("playbooks"))),
    ]
    return [
        WithheldTool(remote[:_LONGEST_ID] or "?", "denied", "its backend has switched it off")
        if item.get("enabled") is False
        else WithheldTool(remote[:_LONGEST_ID] or "?", "malformed", "it has no id that can be used, or is too deep")
        for item, remote in items
        if remote not in known
    ]


def _can_be_pinned(definition: ToolDefinition) -> bool:
    """A schema may be nested too deeply for a digest."""
    try:
        return bool(definition.digest)
    except RecursionError:
        return False


def identity_of(name: str) -> ToolIdentity:
    """The part before the first dot is the pack, if there is one."""
    pack, dot, action = name.partition(".")
    return ToolIdentity(pack, action) if dot and pack and action else ToolIdentity(NO_PACK, name)


def operation_type(definition: ToolDefinition) -> str:
    """What a call does, for the backend. Never less than it may do: a read has a reading verb, no acting one, and no
    declaration that says otherwise."""
    words = set(tokens(definition.identity.action))
    for operation, verbs in _OPERATIONS:
        if words & verbs:
            return operation
    reads = effect_by_name(definition.identity.pack, definition.identity.action) is NameEffect.READS
    return "read" if reads and not _writes(definition.facts) else "modify"


def takes_workspace(definition: ToolDefinition) -> bool:
    return "workspace_id" in (definition.input_schema.get("properties") or {})


def _writes(facts: Facts | None) -> bool:
    if facts is None:
        return False
    return facts.risk_class in _WRITES or facts.side_effect_level in _WRITES or facts.read_only is False


def _tool(item: Mapping[str, Any]) -> ToolDefinition | None:
    tool_id = _text(item, "tool_id")
    if not tool_id or len(tool_id) > _LONGEST_ID or tool_id.startswith(PLAYBOOK) or item.get("enabled") is False:
        return None
    return ToolDefinition(
        upstream=NAME,
        identity=identity_of(tool_id),
        remote=tool_id,
        title=_text(item, "display_name"),
        description=_text(item, "description"),
        input_schema=_schema(item.get("input_schema")),
        facts=Facts(
            risk_class=_text(item, "risk_class") or None,
            side_effect_level=_text(item, "side_effect_level") or None,
            read_only=item["read_only"] if isinstance(item.get("read_only"), bool) else None,
            danger_level=_text(item, "danger_level") or None,
        ),
    )


def _playbook(item: Mapping[str, Any]) -> ToolDefinition | None:
    code = _code(item)
    if not code or len(code) > _LONGEST_ID:
        return None
    return ToolDefinition(
        upstream=NAME,
        identity=identity_of(code),
        remote=PLAYBOOK + code,
        title=_text(item, "display_name") or _text(item, "name"),
        description=_text(item, "description") or _text(item, "name"),
        input_schema=_schema(item.get("input_schema")),
        is_playbook=True,
    )


def _code(item: Mapping[str, Any]) -> str:
    """With its pack as a prefix, once."""
    code = _text(item, "playbook_code")
    pack = _text(item, "capability_code") or _text(item, "capability")
    return f"{pack}.{code.removeprefix(f'{pack}.')}" if code and pack else code


def _in_one_locale(items: Sequence[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    """The backend lists a playbook once per language; the choice does not depend on the order."""
    chosen: dict[str, Mapping[str, Any]] = {}
    for item in sorted(items, key=_preference):
        chosen.setdefault(_code(item), item)
    in_order = dict.fromkeys(_code(item) for item in items)
    return [chosen[code] for code in in_order]


def _preference(item: Mapping[str, Any]) -> tuple[int, str, str]:
    locale = _text(item, "locale")
    rank = _PREFERRED_LOCALES.index(locale) if locale in _PREFERRED_LOCALES else len(_PREFERRED_LOCALES)
    return rank, locale, _text(item, "name")


def _schema(value: Any) -> dict[str, Any]:
    """With all its keywords, but workspace_id is not required: the gateway fills it in."""
    if not isinstance(value, dict):
        return {"type": "object"}
    required = value.get("required")
    if not isinstance(required, list) or "workspace_id" not in required:
        return value
    return {**value, "required": [name for name in required if name != "workspace_id"]}


def _items(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""
