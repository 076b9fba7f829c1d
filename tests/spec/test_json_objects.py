"""Objects with keys of the caller's own are taken as they are and as JSON text, which is all that strict modes know."""

import json

import pytest

from tests.spec.test_plan import adds
from tests.table import Agent, Refused, Table


@pytest.fixture
async def alice(table: Table) -> Agent:
    return table.agent("alice", await table.session("sess_one"))


@pytest.mark.parametrize("metadata", [{"area": "parser", "size": 3}, '{"area": "parser", "size": 3}'])
async def test_metadata_is_an_object_or_its_text(alice: Agent, metadata: "dict[str, object] | str") -> None:
    await adds(alice, {"description": "fix it", "metadata": metadata})

    (task,) = (await alice.calls("read_plan"))["tasks"]
    assert task["metadata"] == {"area": "parser", "size": 3}


async def test_a_text_that_is_empty_counts_as_left_out(alice: Agent) -> None:
    added = await alice.calls("add_message", content="hello", metadata="")

    assert added["success"]


async def test_the_schema_of_a_scratchpad_may_be_text(alice: Agent) -> None:
    schema = {"type": "object", "required": ["name"]}
    pad = (await alice.calls("scratch_create", metadata='{"title": "people"}'))["scratchpad"]["scratch_id"]

    await alice.calls(
        "scratch_upsert_schema",
        scratch_id=pad,
        schema={"name": "person", "description": "One", "schema": json.dumps(schema)},
    )

    kept = await alice.calls("scratch_get_schema", scratch_id=pad, schema_id="person")
    assert kept["schema"]["schema"] == schema


@pytest.mark.parametrize("text", ["no JSON", "[1]", "3", '{"a": 1, "a": 2}', '{"a": NaN}'])
async def test_a_bad_text_is_refused_by_the_name_of_its_argument(alice: Agent, text: str) -> None:
    with pytest.raises(Refused) as refusal:
        await alice.calls("add_message", content="hello", metadata=text)

    assert refusal.value.code == "INVALID_ARGUMENT"
    assert "metadata" in str(refusal.value)


@pytest.mark.parametrize("text", ['{"a": ' + "[" * 70 + "]" * 70 + "}", '{"a": [' + "1," * 100_000 + "1]}"])
async def test_a_text_is_bounded_as_a_request_is(alice: Agent, text: str) -> None:
    with pytest.raises(Refused) as refusal:
        await alice.calls("add_message", content="hello", metadata=text)

    assert refusal.value.code == "PAYLOAD_TOO_LARGE"
