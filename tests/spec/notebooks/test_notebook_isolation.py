"""Two tenants, one server: whatever either does, nothing of the other shows in an answer, a refusal or an event."""

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.spec.notebooks.pads import cell, creates, listed
from tests.table import Agent, Table

pytestmark = pytest.mark.slow

TENANTS = ("acme", "rival")
SHARED = ["shared", "twin", "own-of-acme", "own-of-rival"]
"""Either names all of these; each makes its own of them."""

Arguments = dict[str, Any]


class OperationArguments:
    """How one operation of a tenant fills in its arguments. What it stores bears its own mark; what it asks for may
    bear the other's."""

    def __init__(self, me: str, pick: int, cells: list[str], schemas: list[str]) -> None:
        self.pick = pick
        self.mine = f"mark-of-{me}-{pick % 2}"
        self.any = f"mark-of-{TENANTS[pick % 2]}-{pick % 3 % 2}"
        self.scratch = {"scratch_id": SHARED[pick % 4]}
        self.one = {**self.scratch, "cell_id": _chosen(cells, pick)}
        self.shared = {**self.scratch, "schema_id": _chosen([*schemas, self.any], pick)}
        self.schema = {"title": self.mine, "type": "object"}

    def cell(self) -> Arguments:
        reference = {"$ref": f"scratchpad://schemas/{self.any}"}
        checked = {"json_schema": reference, "validate": self.pick % 5 == 0}
        return cell(json.dumps(self.mine), "json", tags=[self.mine], metadata={"m": self.mine}, **checked)

    def metadata(self) -> Arguments:
        texts = dict.fromkeys(("title", "description", "summary", "namespace", "own"), self.mine)
        return {**texts, "tags": [self.mine]}

    def filters(self) -> Arguments:
        return [{}, {"tags": [self.any]}, {"namespaces": [self.any]}][self.pick % 3]


TOOLS: dict[str, Callable[[OperationArguments], Arguments]] = {
    "scratch_create": lambda hand: {
        **hand.scratch,
        "metadata": {**hand.metadata(), "schemas": {hand.mine: hand.schema}},
        "cells": [hand.cell()] * (hand.pick % 3),
    },
    "scratch_read": lambda hand: {**hand.scratch, **hand.filters()},
    "scratch_append_cell": lambda hand: {**hand.scratch, "cell": hand.cell()},
    "scratch_replace_cell": lambda hand: {**hand.one, "cell": hand.cell()},
    "scratch_move_cell": lambda hand: {**hand.one, "new_index": hand.pick % 3},
    "scratch_delete_cell": lambda hand: hand.one,
    "scratch_update": lambda hand: {**hand.scratch, "metadata": hand.metadata()},
    "scratch_delete": lambda hand: hand.scratch,
    "scratch_list": lambda hand: hand.filters(),
    "scratch_list_cells": lambda hand: {**hand.scratch, "cell_ids": [hand.one["cell_id"]]},
    "scratch_validate": lambda hand: {**hand.scratch, "cell_ids": [hand.one["cell_id"]][: hand.pick % 2]},
    "scratch_list_schemas": lambda hand: hand.scratch,
    "scratch_get_schema": lambda hand: hand.shared,
    "scratch_upsert_schema": lambda hand: {
        **hand.scratch,
        "schema": {"name": hand.mine, "description": hand.mine, "schema": hand.schema},
    },
    "scratch_delete_schema": lambda hand: hand.shared,
    "scratch_namespace_list": lambda hand: {},
    "scratch_namespace_create": lambda hand: {"namespace": hand.mine},
    "scratch_namespace_rename": lambda hand: {"old_namespace": hand.any, "new_namespace": hand.mine},
    "scratch_namespace_delete": lambda hand: {"namespace": hand.any, "delete_scratchpads": hand.pick % 2 == 0},
    "scratch_list_tags": lambda hand: {"namespaces": [hand.any]} if hand.pick % 2 else {},
    "scratch_search": lambda hand: {"query": hand.any, "mode": "keyword"},
}

OPENING = [("acme", "scratch_create", 8), ("acme", "scratch_create", 2), ("rival", "scratch_create", 8)]
"""Both have one of the same id."""

operations = st.lists(
    st.tuples(st.sampled_from(TENANTS), st.sampled_from(sorted(TOOLS)), st.integers(0, 59)), min_size=15, max_size=40
)


async def test_the_property_knows_every_tool(table: Table) -> None:
    offered = {name for name in table.app.dispatcher.tools if name.startswith("scratch_")}

    assert offered | {"scratch_search"} == set(TOOLS)


@pytest.mark.slow
@pytest.mark.timeout(300)
@settings(
    max_examples=20,
    # A failure is shown as it was found: the store remembers what went before, so nothing smaller would be the same.
    phases=[Phase.generate],
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(steps=operations)
async def test_whatever_two_tenants_do_neither_sees_a_byte_of_the_other(
    company: Table, steps: list[tuple[str, str, int]]
) -> None:
    agents = {tenant: company.agent(token=f"{tenant}-secret") for tenant in TENANTS}
    known: dict[str, set[str]] = {tenant: set() for tenant in TENANTS}
    for agent in agents.values():
        for scratch_id in await listed(agent):
            await agent.calls("scratch_delete", scratch_id=scratch_id)

    for tenant, tool, pick in [*OPENING, *steps]:
        if tool not in company.app.dispatcher.tools:
            continue
        everything = sorted(known["acme"] | known["rival"])
        arguments = TOOLS[tool](OperationArguments(tenant, pick, everything, everything))
        answer = (await agents[tenant].posts("tools/call", {"name": tool, "arguments": arguments})).text
        check_nothing_foreign(tenant, answer, arguments, known)
        known[tenant] |= set(_ids_in(json.loads(answer))) - set(_strings(arguments))

    for tenant, agent in agents.items():
        check_nothing_foreign(tenant, (await agent.client.get("/trash")).text, {}, known)
        check_nothing_foreign(tenant, json.dumps(await _events(company, tenant)), {}, known)


def check_nothing_foreign(tenant: str, answer: str, sent: Arguments, known: dict[str, set[str]]) -> None:
    """What the caller sent may come back to it, and nothing else that is the other's."""
    for word in _strings(sent):
        answer = answer.replace(word, "")
    (other,) = set(TENANTS) - {tenant}
    assert f"mark-of-{other}" not in answer
    assert not [found for found in known[other] if found in answer]
    assert "INTERNAL_ERROR" not in answer


async def _events(company: Table, tenant: str) -> list[dict[str, Any]]:
    """What a session of the tenant has heard of notebooks."""
    session = f"sess_{tenant}"
    await company.agent(token=f"{tenant}-secret").tries("create_session", session_id=session)
    listener = company.agent("listener", session, f"{tenant}-secret")
    events: list[dict[str, Any]] = []
    after = 0
    while page := (await listener.calls("read_events", kinds=["notebook/*"], after=after, limit=1000, max_chars=0))[
        "events"
    ]:
        events += page
        after = page[-1]["seq"]
    return events


def _ids_in(value: Any) -> list[str]:
    """Every UUID in an answer."""
    return [text for text in _strings(value) if len(text) == 36 and text.count("-") == 4]


def _strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _strings(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in _strings(inner)]
    return [value] if isinstance(value, str) else []


def _chosen(known: list[str], pick: int) -> str:
    return known[pick % len(known)] if known and pick % 7 else str(uuid.UUID(int=pick))


EVERY_TOOL: list[tuple[str, Arguments]] = [
    ("scratch_read", {}),
    ("scratch_read", {"namespaces": ["theirs"]}),
    ("scratch_read", {"cell_ids": ["{cell}"]}),
    ("scratch_read", {"tags": ["theirs"], "include_metadata": False}),
    ("scratch_append_cell", {"cell": cell("x")}),
    ("scratch_append_cell", {"cell": cell("{}", "json", validate=True)}),
    ("scratch_replace_cell", {"cell_id": "{cell}", "cell": cell("x"), "expected_version": 1}),
    ("scratch_move_cell", {"cell_id": "{cell}", "new_index": 0}),
    ("scratch_delete_cell", {"cell_id": "{cell}"}),
    ("scratch_update", {"metadata": {"title": "x"}, "expected_version": 1}),
    ("scratch_delete", {}),
    ("scratch_list_cells", {}),
    ("scratch_list_cells", {"cell_ids": ["{cell}"], "namespaces": ["theirs"]}),
    ("scratch_validate", {"cell_ids": ["{cell}"]}),
    ("scratch_validate", {"indices": [0]}),
    ("scratch_list_schemas", {}),
    ("scratch_get_schema", {"schema_id": "s"}),
    ("scratch_upsert_schema", {"schema": {"description": "", "schema": {}}}),
    ("scratch_delete_schema", {"schema_id": "s"}),
]
WITHOUT_ID: list[tuple[str, Arguments]] = [
    ("scratch_list", {}),
    ("scratch_list", {"namespaces": ["theirs"], "tags": ["theirs"]}),
    ("scratch_list_tags", {"namespaces": ["theirs"]}),
    ("scratch_namespace_list", {}),
    ("scratch_namespace_rename", {"old_namespace": "theirs", "new_namespace": "ours"}),
    ("scratch_namespace_delete", {"namespace": "theirs", "delete_scratchpads": True}),
]


async def test_anothers_id_answers_byte_for_byte_like_an_unknown_one(company: Table) -> None:
    acme, rival = company.agent(token="acme-secret"), company.agent(token="rival-secret")
    await creates(acme, "ours", "text")
    before = await _answers(acme, str(uuid.uuid4()))

    metadata = {"namespace": "theirs", "tags": ["theirs"], "schemas": {"s": {}}}
    pad = (await rival.calls("scratch_create", scratch_id="p", metadata=metadata, cells=[cell("{}", "json")]))[
        "scratchpad"
    ]
    after = await _answers(acme, pad["cells"][0]["cell_id"])

    assert after == before
    assert (await rival.calls("scratch_list"))["scratchpads"][0]["cell_count"] == 1
    assert (await rival.calls("scratch_namespace_list"))["namespaces"] == [
        {"namespace": "theirs", "scratchpad_count": 1}
    ]


async def test_a_foreign_cell_named_in_an_own_scratchpad_answers_like_an_unknown_one(company: Table) -> None:
    acme, rival = company.agent(token="acme-secret"), company.agent(token="rival-secret")
    await creates(acme, "p", "text")
    theirs = (await creates(rival, "p", "text"))["cells"][0]["cell_id"]
    named = [(tool, more) for tool, more in EVERY_TOOL if "{cell}" in json.dumps(more)]

    foreign, unknown = [
        [await _answer(acme, tool, {"scratch_id": "p", **_named(more, cell_id)}, cell_id) for tool, more in named]
        for cell_id in (theirs, str(uuid.uuid4()))
    ]

    assert foreign == unknown


async def test_creating_an_id_that_another_tenant_has_makes_a_new_one(company: Table) -> None:
    acme, rival = company.agent(token="acme-secret"), company.agent(token="rival-secret")
    await creates(rival, "p", "theirs", title="theirs")

    created = await acme.calls("scratch_create", scratch_id="p", on_exists="fail")

    assert (created["reset"], created["scratchpad"]["title"], created["scratchpad"]["cells"]) == (False, None, [])
    await acme.calls("scratch_delete", scratch_id="p")
    assert [pad["scratch_id"] for pad in (await rival.calls("scratch_list"))["scratchpads"]] == ["p"]


async def _answers(agent: Agent, cell_id: str) -> list[bytes]:
    named = [
        await _answer(agent, tool, {"scratch_id": "p", **_named(more, cell_id)}, cell_id) for tool, more in EVERY_TOOL
    ]
    return named + [await _answer(agent, tool, arguments, cell_id) for tool, arguments in WITHOUT_ID]


async def _answer(agent: Agent, tool: str, arguments: Arguments, cell_id: str) -> bytes:
    answer = await agent.posts("tools/call", {"name": tool, "arguments": arguments})
    return answer.content.replace(b'"id":%d,' % answer.json()["id"], b"").replace(cell_id.encode(), b"CELL")


def _named(more: Arguments, cell_id: str) -> Arguments:
    named: Arguments = json.loads(json.dumps(more).replace("{cell}", cell_id))
    return named
