"""Playbooks with governed steps: a person allows what can be known beforehand once, and all else when it is known."""

from pathlib import Path

import pytest

from tests.gateway.playbooks.gateway import opened
from tests.stores import Store

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

KNOWN = """
    name: blog.publish
    inputs: {type: object, properties: {post: {type: string}}}
    steps:
      - {tool: calm.echo, inputs: {text: look}, save_as: seen}
      - {tool: guarded.echo, inputs: {text: "publish {{ inputs.post }}"}, save_as: published}
      - {tool: guarded.echo, inputs: {text: "announce {{ inputs.post }}"}, save_as: announced}
    """
FOUND = """
    name: blog.clean
    steps:
      - {tool: calm.echo, inputs: {id: "{{ inputs.id }}"}, save_as: found}
      - {tool: guarded.echo, inputs: {text: "delete {{ found.id }}"}, save_as: deleted}
    """


async def test_a_playbook_with_a_governed_step_is_governed_itself(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, {"publish": KNOWN}) as gateway:
        tool = (await gateway.listed(gateway.agent()))["mindscape_playbook_blog_publish"]
        result = await gateway.runs(gateway.agent(), "blog_publish", inputs={"post": "p1"})
        called = await gateway.calls_made()

    assert tool["_meta"]["requires_confirmation"] is True
    assert result["structuredContent"]["error"]["code"] == "CONFIRMATION_REQUIRED"
    assert called == 1


async def test_one_confirmation_covers_the_steps_that_the_inputs_say_all_about(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, {"publish": KNOWN}) as gateway:
        result = await gateway.confirmed(gateway.agent(), "blog_publish", post="p1")
        decisions = await gateway.decisions()

    answer = result["structuredContent"]
    assert answer["status"] == "completed"
    assert [answer["outputs"][name]["text"] for name in ("published", "announced")] == ["publish p1", "announce p1"]
    assert [(decision["tool"], decision["status"]) for decision in decisions] == [
        ("mindscape_playbook_blog_publish", "used")
    ]


async def test_a_person_sees_every_step_with_the_inputs_it_will_have(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, {"publish": KNOWN, "clean": FOUND}) as gateway:
        required = await gateway.runs(gateway.agent(), "blog_publish", inputs={"post": "p1"})
        await gateway.runs(gateway.agent(), "blog_clean", inputs={"id": 7})
        clean, publish = await gateway.decisions()

    steps = [
        {"tool": "calm.echo", "inputs": {"text": "look"}, "fixed": True},
        {"tool": "guarded.echo", "inputs": {"text": "publish p1"}, "fixed": True},
        {"tool": "guarded.echo", "inputs": {"text": "announce p1"}, "fixed": True},
    ]
    assert publish["steps"] == steps
    assert required["structuredContent"]["error"]["details"]["shown"]["steps"] == steps
    assert clean["steps"] == [
        {"tool": "calm.echo", "inputs": {"id": 7}, "fixed": True},
        {"tool": "guarded.echo", "inputs": {"text": "delete {{ found.id }}"}, "fixed": False},
    ]


async def test_a_governed_step_that_depends_on_an_earlier_result_needs_a_person_of_its_own(
    store: Store, tmp_path: Path
) -> None:
    async with opened(store, tmp_path, {"clean": FOUND}) as gateway:
        alice = gateway.agent()
        held = (await gateway.confirmed(alice, "blog_clean", id="p7"))["structuredContent"]
        polled = (await alice.calls("mindscape_execution_status", execution_id=held["execution_id"]))["result"]
        [required, _] = await gateway.decisions()
        await gateway.person_says(held["confirmation_id"])
        over = await gateway.waits(alice, held["execution_id"])

    assert held["status"] == "confirmation_required"
    assert held["progress"]["step"] == 2
    assert (polled["status"], polled["progress"]["confirmation_id"]) == ("confirmation_required", required["id"])
    assert (required["id"], required["arguments"]) == (held["confirmation_id"], {"text": "delete p7"})
    assert (over["status"], over["outputs"]["deleted"]) == ("completed", {"text": "delete p7"})


async def test_a_step_that_a_person_refuses_fails_the_run_with_the_reason(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, {"clean": FOUND}) as gateway:
        alice = gateway.agent()
        held = (await gateway.confirmed(alice, "blog_clean", id="p7"))["structuredContent"]
        await gateway.person_says(held["confirmation_id"], approve=False, reason="Not that one.")
        over = await gateway.waits(alice, held["execution_id"])

    assert (over["status"], over["error"]["code"], over["error"]["step"]) == ("failed", "CONFIRMATION_DENIED", 2)
    assert "Not that one." in over["error"]["message"]


@pytest.mark.parametrize("tool", ["calm.internal_reset", "nobody.knows", "mindscape_playbook_blog_clean"])
async def test_a_step_that_cannot_be_had_fails_the_run_before_its_first_step(
    store: Store, tmp_path: Path, tool: str
) -> None:
    book = f"steps: [{{tool: calm.echo, save_as: a}}, {{tool: {tool}}}]"
    async with opened(store, tmp_path, {"clean": FOUND, "odd": book}) as gateway:
        result = await gateway.confirmed(gateway.agent(), "default_odd")
        called = await gateway.calls_made()

    answer = result["structuredContent"]
    assert (result["isError"], answer["status"]) == (True, "failed")
    assert (answer["error"]["code"], answer["error"]["step"]) == ("NOT_FOUND", 2)
    assert called == 1


async def test_a_rule_about_a_step_holds_inside_a_playbook(store: Store, tmp_path: Path) -> None:
    rules = [{"match": "calm.*", "layer": "tool", "rate": "1/hour"}]
    book = "steps: [{tool: calm.echo, save_as: a}, {tool: calm.echo}]"
    async with opened(store, tmp_path, {"twice": book}, rules=rules) as gateway:
        result = await gateway.runs(gateway.agent(), "default_twice")

    error = result["structuredContent"]["error"]
    assert (error["code"], error["step"]) == ("RATE_LIMITED", 2)


@pytest.mark.parametrize("steps_rule", [{"layer": "run", "confirm": "none"}, {"layer": "tool"}])
async def test_a_person_is_asked_about_a_playbook_that_a_rule_says_so_of_whatever_its_steps_need(
    store: Store, tmp_path: Path, steps_rule: dict[str, str]
) -> None:
    own_rule = {"match": "default.tidy", "confirm": "human"}
    book = {"tidy": "steps: [{tool: guarded.echo}]"}
    rules = [{"match": "guarded.echo", **steps_rule}, own_rule]
    async with opened(store, tmp_path, book, rules=rules) as gateway:
        result = await gateway.runs(gateway.agent(), "default_tidy")

    assert result["structuredContent"]["error"]["code"] == "CONFIRMATION_REQUIRED"


async def test_a_person_is_asked_about_a_playbook_one_of_whose_steps_needs_that_by_a_rule(
    store: Store, tmp_path: Path
) -> None:
    rules = [{"match": "*.echo", "layer": "tool"}, {"match": "guarded.echo", "confirm": "human"}]
    async with opened(store, tmp_path, {"publish": KNOWN}, rules=rules) as gateway:
        result = await gateway.confirmed(gateway.agent(), "blog_publish", post="p1")

    assert result["structuredContent"]["status"] == "completed"


async def test_a_persons_word_covers_a_step_that_needs_a_person_for_its_inputs(store: Store, tmp_path: Path) -> None:
    only_p1 = {"properties": {"text": {"const": "announce p1"}}}
    rules = [{"match": "*.echo", "layer": "tool"}, {"match": "guarded.echo", "confirm": "human", "when": only_p1}]
    own_rule = {"match": "blog.publish", "confirm": "human"}
    async with opened(store, tmp_path, {"publish": KNOWN}, rules=[*rules, own_rule]) as gateway:
        result = await gateway.confirmed(gateway.agent(), "blog_publish", post="p1")
        asked = [decision["tool"] for decision in await gateway.decisions()]

    assert result["structuredContent"]["status"] == "completed"
    assert asked == ["mindscape_playbook_blog_publish"]


async def test_a_playbook_that_a_rule_denies_is_not_there(store: Store, tmp_path: Path) -> None:
    rules = [{"match": "calm.*", "layer": "tool"}, {"match": "default.twice", "layer": "deny"}]
    async with opened(store, tmp_path, {"twice": "steps: [{tool: calm.echo}]"}, rules=rules) as gateway:
        result = await gateway.runs(gateway.agent(), "default_twice")

    assert result["structuredContent"]["error"]["code"] == "NOT_FOUND"
