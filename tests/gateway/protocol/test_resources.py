"""Resources of other servers: listed, linked and read through the gateway, under its rules."""

from pathlib import Path
from typing import Any

import pytest

from tests.gateway.protocol.conftest import asks, library, opened, upstream_resources
from tests.stores import Store
from tests.table import Table

BOOK = "longtable://upstream/library/book://shelf/1"


async def test_resources_and_templates_are_listed_under_addresses_of_their_own(table: Table) -> None:
    agent = table.agent("alice")

    listed = await upstream_resources(agent)
    templates = (await asks(agent, "resources/templates/list"))["resourceTemplates"]

    assert [each["name"] for each in listed.values()] == ["first", "second"]
    assert listed[BOOK]["_meta"]["upstream"] == "library"
    assert "longtable://upstream/library/book://shelf/{number}" in [each["uriTemplate"] for each in templates]


async def test_a_link_in_the_result_of_a_tool_can_be_read(table: Table) -> None:
    agent = table.agent("alice")
    result = await asks(agent, "tools/call", name="mindscape_tool_library_get_link", arguments={})
    link, embedded = result["content"]

    read = await asks(agent, "resources/read", uri=link["uri"])

    assert (link["uri"], embedded["resource"]["uri"]) == (BOOK, BOOK)
    assert [(each["uri"], each["text"]) for each in read["contents"]] == [(BOOK, "library has book://shelf/1")]


async def test_two_servers_with_the_same_uri_are_told_apart(store: Store, tmp_path: Path, journal: Path) -> None:
    async with opened(
        store, tmp_path, {"ours": library(journal, "ours"), "theirs": library(journal, "theirs")}
    ) as table:
        agent = table.agent("alice")
        uris = [f"longtable://upstream/{name}/book://shelf/1" for name in ("ours", "theirs")]

        read = [await asks(agent, "resources/read", uri=uri) for uri in uris]

    assert [each["contents"][0]["text"].split()[0] for each in read] == ["ours", "theirs"]


@pytest.mark.parametrize(
    "uri",
    [
        "longtable://upstream/library/film://1",
        "longtable://upstream/nobody/book://shelf/1",
        "longtable://upstream/library",
        "book://shelf/1",
    ],
)
async def test_what_is_not_there_is_not_found(table: Table, uri: str) -> None:
    error = await asks(table.agent("alice"), "resources/read", uri=uri)

    assert error["data"]["code"] == "NOT_FOUND"


@pytest.mark.parametrize(
    ("entry", "rules"),
    [
        ({}, [{"match": "library.*", "layer": "deny"}]),
        ({}, [{"match": "library.resources/book:*", "layer": "governed"}]),
        ({"deny": ["resources/*"]}, []),
        ({"allow": ["get_*"]}, []),
        ({"trust": "none"}, []),
    ],
)
async def test_what_a_rule_keeps_back_is_neither_listed_nor_read(
    store: Store, tmp_path: Path, journal: Path, entry: dict[str, Any], rules: list[dict[str, Any]]
) -> None:
    async with opened(store, tmp_path, {"library": library(journal, **entry)}, rules=rules) as table:
        agent = table.agent("alice")

        listed = await upstream_resources(agent)
        error = await asks(agent, "resources/read", uri=BOOK)

    assert listed == {}
    assert error["data"]["code"] == "NOT_FOUND"


async def test_a_rule_can_keep_back_one_resource(store: Store, tmp_path: Path, journal: Path) -> None:
    rule = {"match": "library.resources/book://shelf/1", "layer": "deny"}
    async with opened(store, tmp_path, {"library": library(journal)}, rules=[rule]) as table:
        agent = table.agent("alice")

        listed = await upstream_resources(agent)
        other = await asks(agent, "resources/read", uri="longtable://upstream/library/book://shelf/2")

    assert [each["name"] for each in listed.values()] == ["second"]
    assert other["contents"][0]["text"] == "library has book://shelf/2"


async def test_a_server_that_is_not_trusted_shows_what_a_rule_allows(
    store: Store, tmp_path: Path, journal: Path
) -> None:
    rule = {"match": "library.resources/*", "layer": "primitive"}
    async with opened(store, tmp_path, {"library": library(journal, trust="none")}, rules=[rule]) as table:
        assert BOOK in await upstream_resources(table.agent("alice"))


async def test_a_long_resource_is_shortened_and_says_so(store: Store, tmp_path: Path, journal: Path) -> None:
    async with opened(store, tmp_path, {"library": library(journal, max_response_bytes=4096)}) as table:
        agent = table.agent("alice")

        text = await asks(agent, "resources/read", uri="longtable://upstream/library/book://shelf/long")
        picture = await asks(agent, "resources/read", uri="longtable://upstream/library/book://shelf/picture")

    assert 1000 < len(text["contents"][0]["text"]) < 4096
    assert picture["contents"][0]["text"] == "[image/png left out: too large]"
    assert text["_meta"]["truncated"] is True


async def test_each_reading_is_audited_as_a_call(store: Store, tmp_path: Path, journal: Path) -> None:
    async with opened(store, tmp_path, {"library": library(journal)}) as table:
        agent = table.agent("alice")
        await asks(agent, "resources/read", uri=BOOK)
        await asks(agent, "resources/read", uri="longtable://upstream/library/film://1")

        calls = (await agent.client.get("/calls")).json()["calls"]

    assert [(each["tool"], each["upstream"], each["outcome"], each["agent"]) for each in calls] == [
        ("resources/read", "library", "NOT_FOUND", "alice"),
        ("resources/read", "library", "SUCCESS", "alice"),
    ]


async def test_readings_are_limited_as_calls_are(store: Store, tmp_path: Path, journal: Path) -> None:
    limits = {"tool": "2/hour"}
    async with opened(store, tmp_path, {"library": library(journal)}, rate_limits=limits) as table:
        agent = table.agent("alice")

        read = [await asks(agent, "resources/read", uri=BOOK) for _ in range(3)]

    assert ["contents" in each for each in read] == [True, True, False]
    assert read[2]["data"]["code"] == "RATE_LIMITED"


async def test_what_a_server_says_of_itself_is_in_no_result(table: Table) -> None:
    result = await asks(table.agent("alice"), "tools/call", name="mindscape_tool_library_get_link", arguments={})

    assert "library" not in str(result["_meta"].get("io.modelcontextprotocol/serverInfo"))
