"""Every documented limit at its edge: one less and the limit itself are accepted, one more is refused and changes
nothing."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.mixed.operations import Dice, Pool
from tests.stores import Store
from tests.table import Agent, Table, open_table

pytestmark = pytest.mark.slow
SMALL = 5
BYTES = 40
ToolCall = tuple[str, dict[str, Any]]
COUNTED: dict[str, Callable[[int], ToolCall]] = {
    "max_notes": lambda n: ("add_note", {"content": f"n{n}"}),
    "max_sections": lambda n: ("write_draft_section", {"section_id": f"s{n}", "content": "x"}),
    "max_tasks": lambda n: ("add_tasks", {"tasks": [{"description": f"t{n}"}]}),
    "max_questions": lambda n: ("add_question", {"question": f"q{n}"}),
    "max_messages": lambda n: ("add_message", {"content": f"m{n}"}),
    "max_memory": lambda n: ("set_memory", {"key": f"k{n}", "value": n}),
    "max_sessions": lambda n: ("create_session", {"session_id": f"sess_{n}"}),
    "max_scratchpads": lambda n: ("scratch_create", {"scratch_id": f"pad{n}"}),
    "max_cells_per_pad": lambda n: (
        "scratch_append_cell",
        {"scratch_id": "pad", "cell": {"language": "txt", "content": f"c{n}"}},
    ),
}
"""What one more of each is, by the option that says how many there may be."""
SIZED: dict[str, Callable[[str], ToolCall]] = {
    "max_note_bytes": lambda text: ("add_note", {"content": text}),
    "max_section_bytes": lambda text: ("write_draft_section", {"section_id": "one", "content": text}),
    "max_cell_bytes": lambda text: (
        "scratch_append_cell",
        {"scratch_id": "pad", "cell": {"language": "txt", "content": text}},
    ),
}
FIXED: dict[str, tuple[int, Callable[[int], ToolCall]]] = {
    "bytes of a memory entry": (2**20, lambda n: ("set_memory", {"key": "k", "value": "y" * (n - 2)})),
    "tasks of a call": (200, lambda n: ("add_tasks", {"tasks": [{"description": str(i)} for i in range(n)]})),
    "characters of a namespace": (128, lambda n: ("scratch_namespace_create", {"namespace": "n" * n})),
    "seconds of a lease": (86_400, lambda n: ("reserve", {"paths": [f"p{n}/*"], "ttl": n})),
    "characters of a message": (100_000, lambda n: ("add_message", {"content": "é" * n})),
    "tags of a note": (32, lambda n: ("add_note", {"content": "x", "tags": [f"tag{i}" for i in range(n)]})),
    "options of a question": (50, lambda n: ("add_question", {"question": "?", "options": [str(i) for i in range(n)]})),
    "bytes of a message's metadata": (
        10_240,
        lambda n: ("add_message", {"content": "x", "metadata": {"a": "y" * (n - len('{"a":""}'))}}),
    ),
    "characters of a session's id": (64, lambda n: ("create_session", {"session_id": "s" * n})),
    "characters of a key": (128, lambda n: ("add_note", {"content": str(n), "idempotency_key": "k" * n})),
}
OPTIONS = {
    **dict.fromkeys(COUNTED, str(SMALL)),
    **dict.fromkeys(SIZED, str(BYTES)),
    "eviction_policy": "fail",
}
STRICTER = {
    *("add_note.tags", "add_question.options", "reserve.paths", "list_reservations.paths", "read_draft.version"),
    *("read_events.kinds", "scratch_search.namespaces", "scratch_search.tags", "scratch_search.languages"),
}
"""Have a smaller limit of their own, or refuse these values for another reason."""
WAITS = ("timeout_seconds", "wait_seconds")
REFUSED = {"CAPACITY_LIMIT_REACHED", "INVALID_ARGUMENT", "PAYLOAD_TOO_LARGE", "INVALID_SESSION_ID", "INVALID_ID"}


async def tried(agent: Agent, call: ToolCall) -> str:
    """SUCCESS, or the code of the refusal."""
    name, arguments = call
    answer = (await agent.posts("tools/call", {"name": name, "arguments": arguments})).json()
    if "error" in answer:
        return str(answer["error"]["data"]["code"])
    body = answer["result"]["structuredContent"]
    if body.get("ok", body.get("success")):
        return "SUCCESS"
    return str(body["error"]["code"] if isinstance(body["error"], dict) else body["code"])


async def at_the_edge(count: int, attempt: Callable[[int], Awaitable[str]]) -> tuple[list[str], str]:
    """What one less, as many, and one more are answered with."""
    accepted = [await attempt(count - 1), await attempt(count)]
    return accepted, await attempt(count + 1)


@pytest.fixture
async def small(store: Store, tmp_path: Path) -> AsyncIterator[Table]:
    async with open_table(store, tmp_path, **OPTIONS) as table:
        yield table


@pytest.fixture
async def ada(small: Table) -> Agent:
    agent = small.agent("ada", await small.session("sess_one"))
    await agent.calls("scratch_create", scratch_id="pad")
    return agent


@pytest.mark.parametrize("option", COUNTED)
async def test_as_many_as_the_limit_says_are_kept_and_not_one_more(ada: Agent, option: str) -> None:
    already = 1 if option in ("max_sessions", "max_scratchpads") else 0

    codes = [await tried(ada, COUNTED[option](n)) for n in range(already, SMALL + 1)]

    assert codes == ["SUCCESS"] * (SMALL - already) + ["CAPACITY_LIMIT_REACHED"]


@pytest.mark.parametrize("option", SIZED)
async def test_sizes_are_limited_to_the_byte(ada: Agent, option: str) -> None:
    ends = [
        await at_the_edge(BYTES, lambda size: tried(ada, SIZED[option]("x" * size))),
        await at_the_edge(BYTES, lambda size: tried(ada, SIZED[option]("é" * (size // 2) + "x" * (size % 2)))),
    ]

    assert [accepted for accepted, _ in ends] == [["SUCCESS"] * 2] * 2
    assert {refused for _, refused in ends} <= REFUSED


@pytest.mark.parametrize("what", FIXED)
async def test_limits_that_nobody_sets_hold_exactly(table: Table, alice: Agent, what: str) -> None:
    count, call = FIXED[what]

    accepted, refused = await at_the_edge(count, lambda size: tried(alice, call(size)))

    assert accepted == ["SUCCESS"] * 2
    assert refused in REFUSED


@pytest.mark.parametrize(
    ("header", "count"), [("X-Caller-Agent", 100), ("X-Agent-Type", 100), ("Idempotency-Key", 128)]
)
async def test_headers_have_limits_too(alice: Agent, session: str, header: str, count: int) -> None:
    async def attempt(size: int) -> str:
        path = f"/sessions/{session}/notes"
        answer = await alice.client.post(path, json={"content": str(size)}, headers={header: "a" * size})
        return "SUCCESS" if answer.is_success else str(answer.json()["error"]["code"])

    accepted, refused = await at_the_edge(count, attempt)

    assert (accepted, refused) == (["SUCCESS"] * 2, "INVALID_ARGUMENT")


@pytest.mark.parametrize(
    ("count", "body"),
    [
        # The object and its key's value are two of the values.
        (100_000, lambda n: {"metadata": {"a": [1] * (n - 3)}}),
        (64, lambda n: {"metadata": json.loads('{"a":' * (n - 1) + "1" + "}" * (n - 1))}),
    ],
    ids=["values", "levels"],
)
async def test_a_body_holds_so_many_values_and_levels(table: Table, count: int, body: Callable[[int], Any]) -> None:
    async def attempt(size: int) -> str:
        answer = await table.agent("ada").client.post("/sessions", json=body(size))
        error = answer.json().get("error", {"details": {}})
        return f"over {error['details'].get('limit')}"

    accepted, refused = await at_the_edge(count, attempt)

    assert f"over {count}" not in accepted
    assert refused == f"over {count}"


def edges(schema: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Of one argument: two values that are just allowed, and one that is just not."""
    for kind in [schema, *schema.get("anyOf", ())]:
        if "maximum" in kind:
            yield kind["maximum"] - 1, kind["maximum"], kind["maximum"] + 1
        if "minimum" in kind:
            yield kind["minimum"] + 1, kind["minimum"], kind["minimum"] - 1
        if "maxLength" in kind and "pattern" not in kind:
            yield tuple("x" * (kind["maxLength"] + more) for more in (-1, 0, 1))
        if "maxItems" in kind and kind.get("items", {}).get("type") == "string":
            yield tuple([f"v{n}" for n in range(kind["maxItems"] + more)] for more in (-1, 0, 1))


async def test_every_limit_of_every_schema_is_exact(table: Table, alice: Agent) -> None:
    wrong, count = [], 0
    for tool in table.app.dispatcher.tools.values():
        schema = tool.input_schema()
        for name, each in schema.get("properties", {}).items() if tool.over_mcp else ():
            given = Dice(_first, Pool(), ("x",)).arguments({**schema, "required": schema.get("required", ())}, "words")
            at_once = {waited: 0 for waited in WAITS if waited in schema["properties"]}
            for values in () if name in WAITS else edges(each):
                count += 1
                told = [await _blames(alice, tool.name, name, {**given, **at_once, name: value}) for value in values]
                if told != [False, False, True] and not (f"{tool.name}.{name}" in STRICTER and told[2]):
                    wrong.append(f"{tool.name}.{name}: {told}")

    assert wrong == []
    assert count > 50


class _First:
    """Chance that always takes the first, and leaves out what need not be there."""

    def random(self) -> float:
        return 0.99

    def choice(self, several: Any) -> Any:
        return several[0]

    def sample(self, several: Any, count: int) -> Any:
        return list(several)[:count]

    def randint(self, least: int, most: int) -> int:
        return least


_first: Any = _First()


async def _blames(agent: Agent, tool: str, name: str, arguments: dict[str, Any]) -> bool:
    """Whether the refusal, if it is one, is because of this argument."""
    answer = (await agent.posts("tools/call", {"name": tool, "arguments": arguments})).json()
    body = answer.get("result", {}).get("structuredContent", {})
    error = body.get("error") if isinstance(body.get("error"), dict) else body
    if error.get("code") not in ("INVALID_ARGUMENT", "CAPACITY_LIMIT_REACHED"):
        return False
    paths = [each["path"] for each in error.get("details", {}).get("errors", ())]
    return any(path.split("[")[0].split(".")[0] == name for path in paths) or f"{name}:" in str(error.get("error"))
