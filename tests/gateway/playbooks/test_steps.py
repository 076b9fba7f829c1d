"""Playbooks: one tool each, whose steps are calls of other tools, one after the other."""

from pathlib import Path

import pytest

from tests.gateway.playbooks.gateway import opened
from tests.stores import Store

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

GREET = """
    name: blog.greet
    title: Greet somebody
    description: Says hello twice.
    inputs:
      type: object
      properties: {who: {type: string}, times: {type: integer}}
      required: [who]
    steps:
      - tool: calm.echo
        inputs: {text: "Hello {{ inputs.who }}", times: "{{ inputs.times }}", list: [1, "{{ inputs.who }}"]}
        save_as: first
      - tool: calm.echo
        inputs: {text: "{{ first.text }} and {{ first.list }}", before: "{{ first }}"}
        save_as: second
    output: {said: "{{ second.text }}", times: "{{ first.times }}"}
    """


async def test_a_playbook_is_one_tool_with_its_own_schema(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, {"greet": GREET}) as gateway:
        listed = await gateway.listed(gateway.agent())

    tool = listed["mindscape_playbook_blog_greet"]
    assert tool["title"] == "Greet somebody"
    assert "requires_confirmation" not in tool["_meta"]
    assert tool["inputSchema"]["properties"]["inputs"]["required"] == ["who"]


async def test_steps_run_in_order_and_refer_to_inputs_and_earlier_results(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, {"greet": GREET}) as gateway:
        result = await gateway.runs(gateway.agent(), "blog_greet", inputs={"who": "Ada", "times": 2})

    answer = result["structuredContent"]
    assert (result["isError"], answer["status"]) == (False, "completed")
    assert answer["outputs"] == {"said": 'Hello Ada and [1, "Ada"]', "times": 2}
    assert answer["progress"] == {"step": 2, "steps": 2, "tool": "calm.echo"}


async def test_without_an_output_all_that_was_saved_is_told(store: Store, tmp_path: Path) -> None:
    book = "steps: [{tool: calm.echo, inputs: {n: '{{ inputs.n }}'}, save_as: a}, {tool: calm.echo}]"
    async with opened(store, tmp_path, {"plain": book}) as gateway:
        result = await gateway.runs(gateway.agent(), "default_plain", n={"deep": [1, None, True]})

    assert result["structuredContent"]["outputs"] == {"a": {"n": {"deep": [1, None, True]}}}


async def test_inputs_are_checked_before_the_first_step(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, {"greet": GREET}) as gateway:
        result = await gateway.runs(gateway.agent(), "blog_greet", inputs={"times": 2})

    assert result["structuredContent"]["error"]["code"] == "INVALID_ARGUMENT"


async def test_a_failing_step_ends_the_run_and_tells_which_and_why(store: Store, tmp_path: Path) -> None:
    book = """
        name: blog.breaks
        steps:
          - {tool: calm.echo, save_as: a}
          - {tool: calm.fail}
          - {tool: calm.echo, inputs: {text: never}}
        """
    async with opened(store, tmp_path, {"breaks": book}) as gateway:
        result = await gateway.runs(gateway.agent(), "blog_breaks")
        called = await gateway.calls_made()

    assert result["isError"] is True
    answer = result["structuredContent"]
    assert answer["status"] == "failed"
    assert answer["error"] == {
        "code": "UPSTREAM_ERROR",
        "message": "The tool of step 2 failed.",
        "step": 2,
        "detail": "the disk is full",
    }
    assert called == 2 + 1


async def test_an_expression_that_cannot_be_worked_out_fails_its_step(store: Store, tmp_path: Path) -> None:
    book = "steps: [{tool: calm.echo, inputs: {text: '{{ length(inputs.n) }}'}}]"
    async with opened(store, tmp_path, {"odd": book}) as gateway:
        result = await gateway.runs(gateway.agent(), "default_odd", n=5)

    assert result["structuredContent"]["error"]["code"] == "INVALID_ARGUMENT"
    assert "length(inputs.n)" in result["structuredContent"]["error"]["message"]


async def test_text_that_is_an_object_can_be_looked_into_and_other_text_stays_text(
    store: Store, tmp_path: Path
) -> None:
    book = """
        steps:
          - {tool: calm.wait, inputs: {seconds: 0}, save_as: waited}
          - {tool: calm.echo, inputs: {text: "{{ waited }}"}, save_as: said}
        """
    async with opened(store, tmp_path, {"text": book}) as gateway:
        result = await gateway.runs(gateway.agent(), "default_text")

    assert result["structuredContent"]["outputs"]["said"] == {"text": "waited"}


async def test_every_step_is_on_record_as_a_call_of_the_caller(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, {"greet": GREET}) as gateway:
        await gateway.runs(gateway.agent(), "blog_greet", inputs={"who": "Ada"})
        await gateway.table.app.ledger.flush()
        events = await gateway.agent().calls("read_events", kinds=["gateway/executed"], after=0)

    responses = [(event["actor"], event["tool"]) for event in events["events"]]
    assert responses == [("alice", "mindscape_tool_calm_echo")] * 2 + [("alice", "mindscape_playbook_blog_greet")]
