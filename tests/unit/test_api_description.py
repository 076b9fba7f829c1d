"""What no tool of today needs, but the description of REST must carry: two routes, other paths, nested arguments."""

from typing import Any

from pydantic import Field

from longtable.identity.model import EVERYONE
from longtable.kernel.call import Call
from longtable.kernel.result import Result, Value
from longtable.rest.docs_page import docs_page, example_call
from longtable.rest.openapi import Service, openapi_document
from longtable.rest.schema_text import described_fields
from longtable.toolkit.tool import Route, Tool, WriteArguments


class NestedCell(Value):
    language: str
    children: list["NestedCell"] = Field(default_factory=list)


class FillPad(WriteArguments):
    pad_id: str
    cells: list[NestedCell]
    force: bool = False


class PadFilled(Result):
    cells: list[NestedCell]


async def fill(call: Call, arguments: FillPad) -> PadFilled:
    return PadFilled(cells=arguments.cells)


TOOL: Tool[Any] = Tool(
    name="fill_pad",
    title="Fill a pad",
    description="Fill it.",
    arguments=FillPad,
    result=PadFilled,
    run=fill,
    group="notebooks",
    roles=EVERYONE,
    audited_as="pad_filled",
    writes=True,
    routes=(Route("PUT", "/pads/{pad_id}"), Route("POST", "/pads", 201), Route("DELETE", "/pads/{pad_id:path}")),
)


def described() -> dict[str, Any]:
    return openapi_document([TOOL], Service("test", "1"))


def test_further_routes_of_a_tool_have_numbered_names() -> None:
    paths = described()["paths"]

    assert paths["/pads/{pad_id}"]["put"]["operationId"] == "fill_pad"
    assert paths["/pads"]["post"]["operationId"] == "fill_pad_2"
    assert paths["/pads/{pad_id}"]["delete"]["operationId"] == "fill_pad_3"


def test_an_argument_stands_in_the_path_or_in_the_body_but_not_in_both() -> None:
    schemas = described()["components"]["schemas"]

    assert set(schemas["FillPad"]["properties"]) == {"cells", "force"}
    assert set(schemas["FillPad2"]["properties"]) == {"pad_id", "cells", "force"}
    assert schemas["FillPad2"]["required"] == ["pad_id", "cells"]


def test_a_request_without_a_body_takes_its_arguments_from_the_query() -> None:
    parameters = described()["paths"]["/pads/{pad_id}"]["delete"]["parameters"]

    named = [(parameter["in"], parameter["name"], parameter["required"]) for parameter in parameters[:3]]
    assert named == [("path", "pad_id", True), ("query", "cells", True), ("query", "force", False)]


def test_an_example_has_what_is_required_and_fills_nested_objects() -> None:
    body = described()["paths"]["/pads"]["post"]["requestBody"]["content"]["application/json"]

    assert body["example"] == {"pad_id": "text", "cells": [{"language": "text"}]}


def test_a_type_that_holds_itself_is_told_once() -> None:
    schemas = described()["components"]["schemas"]

    paths = [field.path for field in described_fields(schemas["FillPad"], schemas)]

    assert paths == ["cells", "cells[].language", "cells[].children", "force"]


def test_an_example_call_can_be_pasted_into_a_shell() -> None:
    document = described()
    operation = document["paths"]["/pads"]["post"]
    operation["requestBody"]["content"]["application/json"]["example"] = {"pad_id": "it's; $(mine)"}

    call = example_call(document, "/pads", "post", operation)

    assert """-d '{"pad_id": "it'"'"'s; $(mine)"}'""" in call


def test_the_page_escapes_every_text_of_the_document() -> None:
    document = described()
    document["paths"]["/pads"]["post"]["summary"] = "<b>bold</b>"
    document["components"]["schemas"]["FillPad2"]["properties"]["force"]["description"] = "<i>`<u>`</i>"

    page = docs_page(document)

    assert "<b>" not in page
    assert "&lt;i&gt;<code>&lt;u&gt;</code>&lt;/i&gt;" in page
