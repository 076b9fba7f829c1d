"""Prompts of other servers, and completion, through the gateway."""

from pathlib import Path
from typing import Any

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from tests.gateway.protocol.conftest import asks, library, opened
from tests.stores import Store
from tests.table import Agent, Table

REVIEW = "mindscape_prompt_library_review"


async def listed_by(agent: Agent) -> list[dict[str, Any]]:
    """The prompts of other servers, which come after our own."""
    prompts = (await asks(agent, "prompts/list"))["prompts"]
    return [prompt for prompt in prompts if prompt["name"].startswith("mindscape_")]


async def test_a_prompt_has_a_name_of_its_own_and_is_got_by_it(table: Table) -> None:
    agent = table.agent("alice")

    (prompt,) = await listed_by(agent)
    got = await asks(agent, "prompts/get", name=REVIEW, arguments={"about": "Emma"})

    assert (prompt["name"], prompt["arguments"][0]["name"], prompt["_meta"]["upstream"]) == (REVIEW, "about", "library")
    text, embedded = [each["content"] for each in got["messages"]]
    assert text["text"] == "library: review Emma"
    assert embedded["resource"]["uri"] == "longtable://upstream/library/book://shelf/1"


async def test_arguments_of_prompts_and_templates_are_completed(table: Table) -> None:
    agent = table.agent("alice")
    template = "longtable://upstream/library/book://shelf/{number}"

    of_prompt, of_template = [
        (await asks(agent, "completion/complete", ref=ref, argument={"name": "about", "value": "E"}))["completion"]
        for ref in ({"type": "ref/prompt", "name": REVIEW}, {"type": "ref/resource", "uri": template})
    ]

    assert of_prompt["values"] == ["review:about:E"]
    assert of_template["values"] == ["book://shelf/{number}:about:E"]


async def test_prompts_of_two_servers_have_different_names(store: Store, tmp_path: Path, journal: Path) -> None:
    async with opened(
        store, tmp_path, {"ours": library(journal, "ours"), "theirs": library(journal, "theirs")}
    ) as table:
        listed = await listed_by(table.agent("alice"))

    assert [each["name"] for each in listed] == ["mindscape_prompt_ours_review", "mindscape_prompt_theirs_review"]


async def test_a_prompt_that_a_rule_denies_is_not_there(store: Store, tmp_path: Path, journal: Path) -> None:
    rule = {"match": "library.prompts/review", "layer": "deny"}
    async with opened(store, tmp_path, {"library": library(journal)}, rules=[rule]) as table:
        agent = table.agent("alice")

        listed = await listed_by(agent)
        error = await asks(agent, "prompts/get", name=REVIEW, arguments={"about": "Emma"})
        reference = {"type": "ref/prompt", "name": REVIEW}
        completed = await asks(agent, "completion/complete", ref=reference, argument={"name": "about", "value": "E"})

    assert listed == []
    assert (error["data"]["code"], completed["data"]["code"]) == ("NOT_FOUND", "NOT_FOUND")


async def test_a_server_that_is_switched_off_offers_nothing(store: Store, tmp_path: Path, journal: Path) -> None:
    async with opened(store, tmp_path, {"library": library(journal)}, {"auth_tokens": "acme:secret"}) as table:
        owner = (await table.app.tokens.create(Credential("acme", Role.OWNER, "owner"), None)).secret
        agent = table.agent("alice", token="secret")

        before = await listed_by(agent)
        await table.agent(token=owner).client.post("/upstreams/library/switch", json={"on": False})
        after = await listed_by(agent)

    assert (len(before), len(after)) == (1, 0)


async def test_a_failing_server_takes_only_its_own_prompts_away(store: Store, tmp_path: Path, journal: Path) -> None:
    broken = {"command": "/nowhere/at/all"}
    async with opened(store, tmp_path, {"broken": broken, "library": library(journal)}) as table:
        listed = await listed_by(table.agent("alice"))

    assert [each["name"] for each in listed] == [REVIEW]
