"""Five hundred ways to change a tool behind its readers' backs, and not one of them goes unnoticed."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from longtable.gateway.pins import Pins
from longtable.gateway.registry import Registry
from longtable.governance.model import Facts, Hints, ToolDefinition, ToolIdentity
from longtable.governance.names import ToolNames
from longtable.governance.policy import Policy
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.clock import system_clock
from longtable.kernel.errors import LongtableError
from longtable.log.ledger import Ledger, LogHooks
from longtable.log.wakeups import Wakeups
from longtable.upstreams.directory import UpstreamDirectory
from longtable.upstreams.port import Freshness, Health, UpstreamCall, UpstreamResult, UpstreamStatus
from tests.stores import Store

pytestmark = pytest.mark.slow

ALICE = Caller("default", Role.LOCAL, "alice", "generic", Surface.STDIO)
ADA = Caller("default", Role.OWNER, "human:ada", "human", Surface.CONSOLE)
MUTATIONS = 520
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"path": {"type": "string", "description": "Where it is."}, "depth": {"type": "integer"}},
    "required": ["path"],
}


class ChangingUpstream:
    """An upstream that is whatever the test says."""

    health: Health = "ready"
    status = UpstreamStatus()
    problem: str | None = None

    def __init__(self, name: str, tools: Sequence[ToolDefinition]) -> None:
        self.name = name
        self.tools = tools

    reports_changes = False
    withheld = ()

    async def definitions(self, fresh: Freshness | None = None) -> Sequence[ToolDefinition]:
        return self.tools

    async def call(self, call: UpstreamCall) -> UpstreamResult:
        return UpstreamResult([])

    def on_change(self, callback: Callable[[], None]) -> None: ...

    async def close(self) -> None: ...


def original(upstream: str) -> list[ToolDefinition]:
    return [
        ToolDefinition(
            upstream, ToolIdentity(upstream, name), name, f"The {name}", f"Tells of {name}.", SCHEMA, None, hints
        )
        for name, hints in (("get_one", Hints(True)), ("list_two", Hints()), ("read_three", Hints(None, None, True)))
    ]


def mutated(tools: list[ToolDefinition], kind: int, dice: random.Random) -> tuple[list[ToolDefinition], set[str]]:
    """The tools after a change, and what the tools that are no more what they were are called now."""
    gateway = dice.randrange(len(tools))
    tool, others = tools[gateway], [each for each in tools if each is not tools[gateway]]
    letter, word = chr(dice.randrange(0x61, 0x7B)), f"w{dice.randrange(10**6)}"
    spot = dice.randrange(len(tool.description) + 1)
    if kind == 8:
        other = others[0]
        swapped = [replace(tool, description=other.description), replace(other, description=tool.description)]
        return [*swapped, *others[1:]], {tool.remote, other.remote}
    if kind == 9:
        added = replace(tool, remote=f"get_{word}", identity=ToolIdentity(tool.upstream, f"get_{word}"))
        return [*tools, added], {added.remote}
    changes: list[dict[str, Any]] = [
        {"description": tool.description[:spot] + letter + tool.description[spot:]},
        {"description": tool.description + dice.choice([" ", "\u200b", "\n", "."])},
        {"input_schema": {**SCHEMA, "properties": {**SCHEMA["properties"], word: {}}}},
        {"input_schema": {**SCHEMA, "required": []}},
        {"input_schema": {**SCHEMA, "properties": {"path": {"type": "string", "description": word}}}},
        {"output_schema": {"type": "object", "title": word}},
        {"hints": replace(tool.hints, idempotent=not tool.hints.idempotent)},
        {"remote": f"get_{word}", "identity": ToolIdentity(tool.upstream, f"get_{word}")},
        {},
        {},
        {"title": f"{tool.title} {word}"},
        {"facts": Facts(read_only=True, risk_class=word)},
        {"input_schema": dict(reversed(SCHEMA.items())) | {"additionalProperties": True}},
    ]
    now = replace(tool, **changes[kind])
    return [*others, now], {now.remote}


async def test_no_change_of_a_definition_goes_unnoticed(store: Store) -> None:
    dice = random.Random(7)
    ledger = Ledger(await store.open(LogHooks(Wakeups())), system_clock)
    pins, names, policy = Pins(ledger), ToolNames(), Policy()
    unnoticed = []
    for number in range(MUTATIONS):
        source = ChangingUpstream(f"u{number}", original(f"u{number}"))
        registry = Registry(UpstreamDirectory([source]), pins, names, system_clock)
        before = await registry.offered(ALICE, policy)
        source.tools, changed = mutated(list(source.tools), number % 13, dice)
        at_once = {await _code(registry, policy, name) for name in registry_names(source.tools, changed)}
        await registry.offered(ALICE, policy)
        held = {await _code(registry, policy, name) for name in registry_names(source.tools, changed)}
        renamed = {name for name, tool in before.items() if tool.definition.remote not in _remotes(source)}
        gone = {await _code(registry, policy, name) for name in renamed}
        if (len(before), held, (at_once | gone) - {"NOT_FOUND"} - held) != (3, {"TOOL_QUARANTINED"}, set()):
            unnoticed.append((number, at_once, held, gone))

    waiting = await pins.waiting(Call(ADA, "list_quarantine", "quarantine_listed"))
    await ledger.close()

    assert unnoticed == []
    assert waiting.count >= MUTATIONS
    assert all(tool.diff for tool in waiting.tools)


def registry_names(tools: Sequence[ToolDefinition], changed: set[str]) -> list[str]:
    return [f"mindscape_tool_{tool.identity.pack}_{tool.identity.action}" for tool in tools if tool.remote in changed]


def _remotes(source: ChangingUpstream) -> set[str]:
    return {tool.remote for tool in source.tools}


async def _code(registry: Registry, policy: Policy, name: str) -> str:
    try:
        await registry.find(ALICE, policy, name)
    except LongtableError as error:
        return error.code
    return "SUCCESS"


@pytest.mark.parametrize(
    "bad",
    [
        {"remote": "get_\0nul", "identity": ToolIdentity("odd", "get_\0nul")},
        {"description": "half a \ud800 letter"},
        {"input_schema": {"type": "object", "description": "\udfff"}},
        {"title": "\ud800"},
    ],
    ids=["name", "description", "schema", "title"],
)
async def test_a_tool_that_no_store_can_keep_takes_no_other_away(store: Store, bad: dict[str, Any]) -> None:
    ledger = Ledger(await store.open(LogHooks(Wakeups())), system_clock)
    pins = Pins(ledger)
    good, other, _ = original("odd")
    source = ChangingUpstream("odd", [good, replace(other, **bad)])
    registry = Registry(UpstreamDirectory([source]), pins, ToolNames(), system_clock)

    offered = await registry.offered(ALICE, Policy())
    await ledger.close()

    assert [tool.definition.remote for tool in offered.values()] == ["get_one"]


async def test_of_two_sources_with_one_name_the_same_is_listed_and_called(store: Store) -> None:
    ledger = Ledger(await store.open(LogHooks(Wakeups())), system_clock)
    first, second = ChangingUpstream("first", original("same")), ChangingUpstream("second", original("same"))
    first.tools = [replace(tool, upstream="first") for tool in first.tools]
    second.tools = [replace(tool, upstream="second") for tool in second.tools]
    registry = Registry(UpstreamDirectory([first, second]), Pins(ledger), ToolNames(), system_clock)

    listed = await registry.offered(ALICE, Policy())
    called = await registry.find(ALICE, Policy(), "mindscape_tool_same_get_one")
    await ledger.close()

    assert {tool.definition.upstream for tool in listed.values()} == {"first"}
    assert called.definition.upstream == "first"


async def test_a_source_that_breaks_takes_only_its_own_tools_away(store: Store) -> None:
    class Broken(ChangingUpstream):
        async def definitions(self, fresh: Freshness | None = None) -> Sequence[ToolDefinition]:
            raise RuntimeError("a bug")

    ledger = Ledger(await store.open(LogHooks(Wakeups())), system_clock)
    sources = [ChangingUpstream("good", original("good")), Broken("bad", [])]
    registry = Registry(UpstreamDirectory(sources), Pins(ledger), ToolNames(), system_clock)

    offered = await registry.offered(ALICE, Policy())
    await ledger.close()

    assert {tool.definition.upstream for tool in offered.values()} == {"good"}
