"""The definition of an upstream's tool, and the policy decision about it."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, Literal

from longtable.kernel.canonical import digest

MAX_DEPTH = 128
"""Levels of a schema."""


class Layer(StrEnum):
    """What a tool may do: nothing, read, run a playbook, or act once a person has approved the call."""

    INTERNAL = "internal"
    PRIMITIVE = "primitive"
    MACRO = "macro"
    GOVERNED = "governed"


LAYER_NAMES: Mapping[Layer, str] = {Layer.PRIMITIVE: "tool", Layer.MACRO: "playbook", Layer.GOVERNED: "run"}
"""The part of a tool's name that stands for its layer."""

Confirm = Literal["none", "human", "client"]
"""Who must approve a call: nobody, a person at one of our own surfaces, or the user of the client."""

Trust = Literal["first-use", "full", "none"]


@dataclass(frozen=True, slots=True)
class ToolIdentity:
    """`pack.action`: the pack stands for the upstream, the action for the tool."""

    pack: str
    action: str

    def __str__(self) -> str:
        return f"{self.pack}.{self.action}"


@dataclass(frozen=True, slots=True)
class Facts:
    """What a backend declares about a tool; None where it says nothing."""

    risk_class: str | None = None
    side_effect_level: str | None = None
    read_only: bool | None = None
    danger_level: str | None = None


@dataclass(frozen=True, slots=True)
class Hints:
    """MCP annotations: claims of the upstream, not facts."""

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None


@dataclass(frozen=True)
class ToolDefinition:
    """One tool or playbook of an upstream. `remote` is its name there."""

    upstream: str
    identity: ToolIdentity
    remote: str
    title: str = ""
    description: str = ""
    input_schema: Mapping[str, Any] = field(default_factory=dict)
    output_schema: Mapping[str, Any] | None = None
    hints: Hints = Hints()
    facts: Facts | None = None
    is_playbook: bool = False
    trust: Trust = "first-use"
    body: Mapping[str, Any] | None = None
    """The steps of a playbook of our own."""

    @cached_property
    def pinned(self) -> Mapping[str, Any]:
        """What is pinned: a change in any part is a change of the tool."""
        return {
            "upstream": self.upstream,
            "name": self.remote,
            "title": self.title,
            "description": self.description,
            "input_schema": dict(self.input_schema),
            "output_schema": None if self.output_schema is None else dict(self.output_schema),
            "hints": [self.hints.read_only, self.hints.destructive, self.hints.idempotent, self.hints.open_world],
            "body": None if self.body is None else dict(self.body),
            "facts": None if self.facts is None else [getattr(self.facts, name) for name in Facts.__slots__],
        }

    @cached_property
    def digest(self) -> str:
        return digest(self.pinned)

    @cached_property
    def is_storable(self) -> bool:
        """Whether every store can keep it: valid Unicode, names without NUL, and not nested too deeply to be copied."""
        if is_deeper_than(self.input_schema, MAX_DEPTH) or is_deeper_than(self.output_schema, MAX_DEPTH):
            return False
        try:
            written = json.dumps([self.pinned, self.identity.pack, self.identity.action], ensure_ascii=False)
            written.encode()
        except (ValueError, RecursionError):
            return False
        return not any("\0" in text for text in (self.remote, self.identity.pack, self.identity.action))


def is_deeper_than(value: Any, levels: int) -> bool:
    layer = [value]
    for _ in range(levels):
        inner = (each.values() if isinstance(each, Mapping) else each for each in layer if not isinstance(each, str))
        layer = [child for each in inner if isinstance(each, Iterable) for child in each]
        if not layer:
            return False
    return True


@dataclass(frozen=True, slots=True)
class WithheldTool:
    """A tool that an upstream lists and nobody is offered. `reason` is for people."""

    name: str
    kind: Literal["denied", "malformed"]
    reason: str


@dataclass(frozen=True, slots=True)
class Rate:
    """`calls` in `per` microseconds."""

    calls: int
    per: int


@dataclass(frozen=True, slots=True)
class PolicyDecision:
    """`reason` is for people."""

    layer: Layer
    confirm: Confirm
    reason: str
    rate: Rate | None = None

    @property
    def listed(self) -> bool:
        return self.layer is not Layer.INTERNAL

    @property
    def is_governed(self) -> bool:
        """Whether the definition is compared again before every call, whatever the upstream has promised."""
        return self.layer is Layer.GOVERNED or self.confirm != "none"
