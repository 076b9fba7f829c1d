"""Shared schemas: a registry in each scratchpad, and how cells that refer to it are checked."""

import json
import uuid
from typing import Any

import pytest

from tests.spec.notebooks.pads import appends, cell, contents, creates, listed, reads
from tests.table import Agent, Refused, Table

pytestmark = pytest.mark.slow

NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
BROKEN = {"type": "no such type"}
UUID = "0b8f1f4e-6a37-4c5e-9d3b-111122223333"


@pytest.fixture
async def ann(table: Table) -> Agent:
    """The scratchpad `p` is there, empty."""
    agent = table.agent("ann")
    await creates(agent, "p")
    return agent


async def shares(ann: Agent, schema: Any = NUMBER, description: str = "", **more: Any) -> dict[str, Any]:
    entry = {"description": description, "schema": schema, **more}
    return await ann.calls("scratch_upsert_schema", scratch_id="p", schema=entry)


async def gets(ann: Agent, key: str) -> dict[str, Any]:
    schema: dict[str, Any] = (await ann.calls("scratch_get_schema", scratch_id="p", schema_id=key))["schema"]
    return schema


async def checks(ann: Agent, content: str, schema: Any, language: str = "json") -> dict[str, Any]:
    """Appends a cell and has it checked."""
    appended = cell(content, language, json_schema=schema, validate=True)
    result: dict[str, Any] = (await ann.calls("scratch_append_cell", scratch_id="p", cell=appended))["validation"]
    return result


def refers(name: str) -> dict[str, str]:
    return {"$ref": f"scratchpad://schemas/{name}"}


async def test_over_rest_a_new_schema_is_told_from_one_that_was_there(ann: Agent) -> None:
    body = {"schema": {"name": "number", "description": "has n", "schema": NUMBER}}

    answers = [await ann.client.post("/scratchpads/p/schemas", json=body) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [201, 200]


async def test_a_schema_is_shared_read_listed_and_taken_away(ann: Agent) -> None:
    shared = await shares(ann, name="number", description="has n")

    stamp = shared["schema"]
    schema = {**stamp, "schema": NUMBER}
    assert set(shared) == {"ok", "schema", "created"}
    assert stamp == {"id": stamp["id"], "name": "number", "description": "has n"}
    assert (shared["created"], str(uuid.UUID(schema["id"]))) == (True, schema["id"])
    assert await ann.calls("scratch_get_schema", scratch_id="p", schema_id="number") == {"ok": True, "schema": schema}
    assert await ann.calls("scratch_list_schemas", scratch_id="p") == {
        "ok": True,
        "scratch_id": "p",
        "schemas": [schema],
    }
    for deleted in (True, False):
        answer = await ann.calls("scratch_delete_schema", scratch_id="p", schema_id="number")
        assert answer == {"ok": True, "deleted": deleted}
    with pytest.raises(Refused, match="NOT_FOUND"):
        await gets(ann, "number")


async def test_an_update_by_name_keeps_the_id_and_one_by_id_keeps_the_name(ann: Agent) -> None:
    first = (await shares(ann, name="number"))["schema"]

    by_name = await shares(ann, {"type": "string"}, "now text", name="number")
    by_id = await shares(ann, {"type": "array"}, "now a list", id=first["id"])
    renamed = await shares(ann, {"type": "array"}, "renamed", id=first["id"], name="list")

    assert [answer["created"] for answer in (by_name, by_id, renamed)] == [False, False, False]
    assert {answer["schema"]["id"] for answer in (by_name, by_id, renamed)} == {first["id"]}
    assert [answer["schema"]["name"] for answer in (by_name, by_id, renamed)] == ["number", "number", "list"]
    assert (await gets(ann, "list"))["schema"] == {"type": "array"}
    with pytest.raises(Refused, match="NOT_FOUND"):
        await gets(ann, "number")


async def test_a_schema_is_found_by_every_spelling_of_its_uuid(ann: Agent) -> None:
    undashed = UUID.replace("-", "")
    created = await shares(ann, id=undashed)

    again = await shares(ann, {"type": "null"}, id=UUID.upper())

    assert (created["schema"]["id"], created["schema"]["name"], created["created"]) == (UUID, UUID, True)
    assert again["created"] is False
    for spelling in (UUID, undashed, UUID.upper(), f"urn:uuid:{UUID}", f"{{{UUID}}}"):
        assert (await gets(ann, spelling))["schema"] == {"type": "null"}
    seeded = {"schemas": {"s": {"id": undashed, "description": "d", "schema": NUMBER}}}
    await ann.calls("scratch_create", scratch_id="p", metadata=seeded)
    assert await gets(ann, UUID) == await gets(ann, undashed) == await gets(ann, "s")


async def test_a_name_that_looks_like_an_id_is_found_and_taken_away_by_that_name(ann: Agent) -> None:
    undashed = UUID.replace("-", "")
    await shares(ann, name=undashed)

    assert (await gets(ann, undashed))["name"] == undashed
    assert (await ann.calls("scratch_delete_schema", scratch_id="p", schema_id=undashed))["deleted"] is True


async def test_a_name_belongs_to_one_schema(ann: Agent) -> None:
    one = (await shares(ann, name="one"))["schema"]
    await shares(ann, name="two")

    with pytest.raises(Refused, match="CONFLICT"):
        await shares(ann, id=one["id"], name="two")
    with pytest.raises(Refused, match="CONFLICT"):
        await shares(ann, id=str(uuid.uuid4()), name="two")

    assert [(await gets(ann, name))["name"] for name in ("one", "two")] == ["one", "two"]


async def test_a_reference_never_fits_the_name_of_one_schema_and_the_id_of_another(ann: Agent) -> None:
    await shares(ann, name=UUID, description="by name")
    other = (await shares(ann, name="other"))["schema"]

    with pytest.raises(Refused, match="CONFLICT"):
        await shares(ann, id=UUID, name="third")
    with pytest.raises(Refused, match="CONFLICT"):
        await shares(ann, name=other["id"])

    assert (await gets(ann, UUID))["description"] == "by name"


async def test_schemas_are_listed_oldest_first_and_stay_there_when_changed(ann: Agent) -> None:
    for name in "cab":
        await shares(ann, name=name, description=name)
    await shares(ann, {"type": "null"}, "a later change", name="c")

    shown = (await ann.calls("scratch_list_schemas", scratch_id="p"))["schemas"]

    assert [schema["name"] for schema in shown] == ["c", "a", "b"]
    assert [set(schema) for schema in shown] == [{"id", "name", "description", "schema"}] * 3


NO_SCHEMAS: list[tuple[dict[str, Any], str]] = [
    ({"description": "", "schema": BROKEN}, "VALIDATION_ERROR"),
    ({"description": "", "schema": {"$ref": 5}}, "VALIDATION_ERROR"),
    ({"description": "", "schema": "text"}, "INVALID_ARGUMENT"),
    ({"description": ""}, "INVALID_ARGUMENT"),
    ({"schema": {}}, "INVALID_ARGUMENT"),
    ({"description": 1, "schema": {}}, "INVALID_ARGUMENT"),
    ({"description": "", "schema": {}, "id": "no uuid"}, "INVALID_ID"),
    ({"description": "", "schema": {}, "name": " "}, "INVALID_ARGUMENT"),
    ({"description": "", "schema": {}, "name": "n" * 129}, "INVALID_ARGUMENT"),
    ({"description": "", "schema": {"x": "x" * 262_144}}, "PAYLOAD_TOO_LARGE"),
    ({"description": "", "schema": {"x": json.loads("[" * 300 + "]" * 300)}}, "PAYLOAD_TOO_LARGE"),
]


async def test_what_is_no_schema_is_refused_and_not_stored(ann: Agent) -> None:
    for schema, code in NO_SCHEMAS:
        with pytest.raises(Refused, match=code):
            await ann.calls("scratch_upsert_schema", scratch_id="p", schema=schema)

    assert (await ann.calls("scratch_list_schemas", scratch_id="p"))["schemas"] == []
    assert (await reads(ann, "p"))["version"] == 1


async def test_metadata_seed_the_registry_in_three_forms(ann: Agent) -> None:
    forms = {
        "entry": {"id": UUID, "description": "whole", "schema": NUMBER},
        "entry with text": {"description": "text", "schema": json.dumps(NUMBER)},
        "bare": NUMBER,
        "text": json.dumps(NUMBER),
    }
    created = await ann.calls("scratch_create", scratch_id="p", metadata={"schemas": forms, "own": 1})

    shown = (await ann.calls("scratch_list_schemas", scratch_id="p", max_chars=0))["schemas"]

    assert {one["name"]: (one["description"], one["schema"]) for one in shown} == {
        "entry": ("whole", NUMBER),
        "entry with text": ("text", NUMBER),
        "bare": ("", NUMBER),
        "text": ("", NUMBER),
    }
    assert (await gets(ann, "entry"))["id"] == UUID
    for pad in (created["scratchpad"], await reads(ann, "p")):
        assert pad["metadata"]["schemas"] == {
            one["name"]: {key: one[key] for key in ("id", "description", "schema")} for one in shown
        }
    assert "metadata" not in await reads(ann, "p", include_metadata=False)


NO_REGISTRIES: list[tuple[Any, str]] = [
    ({"ok": NUMBER, "bad": BROKEN}, "VALIDATION_ERROR"),
    ({"bad": {"description": "", "schema": BROKEN}}, "VALIDATION_ERROR"),
    ({"bad": "no json"}, "VALIDATION_ERROR"),
    ({"bad": 5}, "VALIDATION_ERROR"),
    ({"": NUMBER}, "INVALID_ARGUMENT"),
    ({"a\0b": NUMBER}, "INVALID_ARGUMENT"),
    ({"bad": {"id": "no uuid", "schema": NUMBER}}, "INVALID_ID"),
    ({"a": {"id": UUID, "schema": {}}, "b": {"id": UUID.replace("-", ""), "schema": {}}}, "CONFLICT"),
    ({"a": {"id": UUID, "schema": {}}, UUID: NUMBER}, "CONFLICT"),
    ([NUMBER], "INVALID_ARGUMENT"),
    ({str(number): {} for number in range(257)}, "CAPACITY_LIMIT_REACHED"),
]


async def test_bad_schemas_in_metadata_refuse_the_whole_scratchpad(ann: Agent) -> None:
    for schemas, code in NO_REGISTRIES:
        for scratch_id in ("p", "q"):
            with pytest.raises(Refused, match=code):
                await ann.calls("scratch_create", scratch_id=scratch_id, metadata={"schemas": schemas}, cells=[cell()])

    assert await listed(ann) == ["p"]
    assert await contents(ann, "p") == []
    with pytest.raises(Refused, match="INVALID_ARGUMENT"):
        await ann.calls("scratch_update", scratch_id="p", metadata={"schemas": {}})


async def test_a_cell_is_checked_against_the_schema_it_refers_to_by_name_or_id(ann: Agent) -> None:
    schema_id = (await shares(ann, name="number"))["schema"]["id"]

    for reference in (refers("number"), refers(schema_id), "scratchpad://schemas/number", json.dumps(refers("number"))):
        good = await checks(ann, '{"n": 1}', reference)
        bad = await checks(ann, '{"n": "one"}', reference)
        assert (good["valid"], good["errors"], good["warnings"]) == (True, [], [])
        assert (bad["valid"], len(bad["errors"])) == (False, 1)
        for result in (good, bad):
            assert result["details"]["schema"]["schema_id"] == schema_id

    yaml = await checks(ann, "n: one\n", refers("number"), "yaml")
    assert (yaml["valid"], yaml["details"]["schema"]["schema_id"]) == (False, schema_id)


async def test_shared_schemas_may_refer_to_each_other(ann: Agent) -> None:
    await shares(ann, {"type": "integer"}, name="count")
    await shares(ann, {"type": "object", "properties": {"n": refers("count")}}, name="thing")
    listing = await shares(ann, {"type": "array", "items": refers("thing")}, name="things")

    good = await checks(ann, '[{"n": 1}]', refers("things"))
    bad = await checks(ann, '[{"n": 1}, {"n": "x"}]', refers("things"))
    nested = await checks(ann, '{"all": [{"n": "x"}]}', {"properties": {"all": refers("things")}})

    assert (good["valid"], bad["valid"], nested["valid"]) == (True, False, False)
    assert good["details"]["schema"]["schema_id"] == listing["schema"]["id"]
    assert bad["errors"][0]["path"] == "$[1].n"


async def test_a_missing_schema_is_a_warning_and_the_cell_is_kept(ann: Agent) -> None:
    result = await checks(ann, '{"n": "any"}', refers("nowhere"))
    replaced = await ann.calls(
        "scratch_replace_cell",
        scratch_id="p",
        cell_id=result["cell_id"],
        cell=cell("[]", "json", json_schema=refers("nowhere"), validate=True),
    )
    again = (await ann.calls("scratch_validate", scratch_id="p", max_chars=0))["results"][0]

    for checked in (result, replaced["validation"], again):
        assert (checked["valid"], checked["errors"]) == (True, [])
        assert [warning["code"] for warning in checked["warnings"]] == ["SCHEMA_REF_MISSING"]
        assert checked["details"]["schema"]["checked"] is False
    assert await contents(ann, "p") == ["[]"]


async def test_a_changed_or_deleted_schema_counts_from_the_next_check_on(ann: Agent) -> None:
    await shares(ann, name="s")
    await checks(ann, '{"n": 1}', refers("s"))

    async def outcome() -> tuple[bool, list[str]]:
        result = (await ann.calls("scratch_validate", scratch_id="p", max_chars=0))["results"][0]
        return result["valid"], [warning["code"] for warning in result["warnings"]]

    assert await outcome() == (True, [])
    await shares(ann, {"type": "array"}, name="s")
    assert await outcome() == (False, [])
    await ann.calls("scratch_delete_schema", scratch_id="p", schema_id="s")
    assert await outcome() == (True, ["SCHEMA_REF_MISSING"])
    await shares(ann, name="s")
    assert await outcome() == (True, [])


async def test_seeded_schemas_count_for_the_cells_created_with_them(ann: Agent) -> None:
    created = await ann.calls(
        "scratch_create",
        scratch_id="q",
        metadata={"schemas": {"s": NUMBER}},
        cells=[cell('{"n": "x"}', "json", json_schema=refers("s"), validate=True)],
    )

    result = created["validation"][0]
    assert result["valid"] is False
    assert result["details"]["schema"]["schema_id"] == created["scratchpad"]["metadata"]["schemas"]["s"]["id"]


async def test_a_broken_schema_of_a_cell_is_refused_whether_or_not_it_would_be_used(ann: Agent) -> None:
    cell_id = (await appends(ann, "p", "stays"))["cell_id"]

    for schema in (BROKEN, json.dumps(BROKEN), "no json", "5", {"$ref": 5}):
        for language, validate in (("json", True), ("json", False), ("txt", False)):
            bad = cell("{}", language, json_schema=schema, validate=validate)
            for tool, arguments in (
                ("scratch_append_cell", {"scratch_id": "p", "cell": bad}),
                ("scratch_replace_cell", {"scratch_id": "p", "cell_id": cell_id, "cell": bad}),
                ("scratch_create", {"scratch_id": "p", "cells": [cell(), bad]}),
                ("scratch_create", {"scratch_id": "q", "cells": [cell(), bad]}),
            ):
                with pytest.raises(Refused, match="VALIDATION_ERROR"):
                    await ann.calls(tool, **arguments)

    assert await contents(ann, "p") == ["stays"]
    assert await listed(ann) == ["p"]
