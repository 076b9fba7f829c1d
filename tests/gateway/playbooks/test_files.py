"""Playbook files: read as a whole at start; a mistake is told with its file and its place."""

from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from longtable.gateway.expressions import referenced_names, render
from longtable.gateway.playbook_file import MAX_STEPS, load_playbooks
from longtable.kernel.errors import ConfigError, InvalidArgument

STEP = "steps: [{tool: a.b}]"


def load(folder: Path, text: str, name: str = "book.yaml") -> Any:
    (folder / name).write_text(dedent(text))
    return load_playbooks(folder)


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("steps: [", "line 1", "not YAML"),
        ("[1, 2]", "the file", "must be an object"),
        (f"{STEP}\nstep: []", "step (line 2)", "did you mean steps?"),
        (f"{STEP}\nsteps: []", "line 2", "given twice"),
        ("name: a.b", "steps", "1 to 100 steps"),
        ("steps: []", "steps (line 1)", "1 to 100 steps"),
        ("steps: {a: b}", "steps (line 1)", "must be a list"),
        (f"steps: [{', '.join(['{tool: a.b}'] * (MAX_STEPS + 1))}]", "steps (line 1)", "1 to 100 steps"),
        ("steps:\n- inputs: {}", "steps[0] (line 2)", "must have the key tool"),
        ("steps:\n- tool: a.b\n  save: x", "steps[0].save (line 3)", "did you mean save_as?"),
        ("steps:\n- tool: 5", "steps[0].tool (line 2)", "must be a text"),
        ("steps:\n- tool: a.b\n  inputs: [1]", "steps[0].inputs (line 3)", "must be an object"),
        ("steps:\n- tool: a.b\n  save_as: a-b", "steps[0].save_as (line 3)", "must be a word"),
        ("steps:\n- tool: a.b\n  save_as: inputs", "steps[0].save_as (line 3)", "not taken"),
        ("steps:\n- {tool: a.b, save_as: x}\n- {tool: a.b, save_as: x}", "steps[1].save_as (line 3)", "not taken"),
        ("steps:\n- {tool: a.b, inputs: {x: '{{ later.y }}'}}", "steps[0].inputs (line 2)", "refers to later"),
        ("steps:\n- {tool: a.b, inputs: {x: '{{ inputs..y }}'}}", "steps[0].inputs (line 2)", "not a JMESPath"),
        ("steps:\n- {tool: a.b, inputs: {x: '{{ upper(inputs.y) }}'}}", "steps[0].inputs", "calls upper()"),
        (f"{STEP}\noutput: '{{{{ gone }}}}'", "output (line 2)", "refers to gone"),
        (f"{STEP}\ninputs: text", "inputs (line 2)", "must be a JSON Schema"),
        (f"{STEP}\ninputs: {{type: thing}}", "inputs (line 2)", "is not a JSON Schema"),
        (f"{STEP}\nname: ''", "name (line 2)", "not empty"),
        (f"{STEP}\nname: blog.", "name (line 2)", "such as blog.publish_week"),
        (f"{STEP}\ndescription: [1]", "description (line 2)", "must be a text"),
        ("steps:\n- {tool: a.b, inputs: {day: 2026-01-01}}", "the file", "needs quotes"),
        ("steps: &a [*a]", "book.yaml", "too deep"),
        ("name: a.b\nsteps:\n- tool: a.b", "steps[0].tool (line 3)", "cannot be a step"),
    ],
)
def test_a_mistake_is_told_with_its_file_and_its_place(tmp_path: Path, text: str, place: str, words: str) -> None:
    with pytest.raises(ConfigError) as raised:
        load(tmp_path, text)

    assert "book.yaml" in raised.value.message
    assert place in raised.value.message
    assert words in raised.value.message


def test_two_files_with_one_name_are_refused(tmp_path: Path) -> None:
    load(tmp_path, f"name: a.b\n{STEP.replace('a.b', 'c.d')}", "one.yaml")

    with pytest.raises(ConfigError, match=r"a\.b is the name of another playbook"):
        load(tmp_path, f"name: a.b\n{STEP.replace('a.b', 'c.d')}", "two.yml")


def test_a_folder_that_is_not_there_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_playbooks(tmp_path / "none")


@pytest.mark.parametrize(
    ("text", "identity"),
    [
        (STEP, "default.book"),
        (f"name: weekly\n{STEP}", "default.weekly"),
        (f"name: blog.weekly\n{STEP}", "blog.weekly"),
        (f"name: a.b.c\n{STEP}", "a.b.c"),
        (f"name: weekly.report\npack: blog\n{STEP}", "blog.weekly.report"),
    ],
)
def test_the_name_says_pack_and_action_and_the_file_does_where_it_says_nothing(
    tmp_path: Path, text: str, identity: str
) -> None:
    [book] = load(tmp_path, text.replace("a.b}", "x.y}"))

    assert str(book.definition.identity) == identity


def test_other_files_of_the_folder_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("not a playbook")
    (tmp_path / "folder.yaml").mkdir()

    assert len(load(tmp_path, STEP)) == 1


def test_what_a_playbook_does_is_part_of_what_is_pinned(tmp_path: Path) -> None:
    [before] = load(tmp_path, "steps: [{tool: a.b, inputs: {x: 1}}]")

    [after] = load(tmp_path, "steps: [{tool: a.b, inputs: {x: 2}}]")

    assert before.definition.digest != after.definition.digest


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("inputs.a", {"inputs"}),
        ("inputs.posts", {"inputs"}),
        ("inputs.a || posts.b", {"inputs", "posts"}),
        ("join(', ', posts[*].title)", {"posts"}),
        ("sort_by(posts, &inputs)[0].x", {"posts"}),
        ("posts[?inputs == `1`].b | [0]", {"posts"}),
        ("{a: inputs.x, b: posts[0]}", {"inputs", "posts"}),
        ("[inputs.a, posts]", {"inputs", "posts"}),
        ("!posts && inputs.b == `2`", {"inputs", "posts"}),
        ("posts[1:2][].x.*", {"posts"}),
        ("`5`", set()),
        ("@", {"@"}),
        ("@.posts", {"@"}),
        ("*", {"@"}),
        ("keys(@)", {"@"}),
        ("[@][0].posts", {"@"}),
    ],
)
def test_what_an_expression_can_see_is_known_before_it_is_worked_out(expression: str, names: set[str]) -> None:
    assert referenced_names({"deep": [f"{{{{ {expression} }}}}"]}) == names


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("{{ inputs.n }}", 7),
        ("  {{ inputs.n }}\n", 7),
        ("n = {{ inputs.n }}", "n = 7"),
        ("{{ inputs.n }}{{ inputs.n }}", "77"),
        ("{{ inputs.yes }} {{ inputs.none }}|{{ inputs.list }}", 'true |[1, "ü"]'),
        ("{{inputs.list[1]}}", "ü"),
        ({"a": ["{{ inputs.list }}", 1, None]}, {"a": [[1, "ü"], 1, None]}),
        ("{{ inputs.missing }}", None),
        ("{ not one }", "{ not one }"),
    ],
)
def test_a_reference_alone_keeps_its_type_and_becomes_text_inside_text(value: Any, expected: Any) -> None:
    known = {"inputs": {"n": 7, "yes": True, "none": None, "list": [1, "ü"]}}

    assert render(value, known) == expected


def test_what_is_found_is_not_read_as_an_expression_again() -> None:
    assert render("{{ a }} {{ a }}", {"a": "{{ secret }}", "secret": "x"}) == "{{ secret }} {{ secret }}"


def test_what_cannot_be_worked_out_is_told_without_the_values() -> None:
    with pytest.raises(InvalidArgument) as raised:
        render("{{ length(n) }}", {"n": 12345})

    assert "length(n)" in raised.value.message
    assert "12345" not in raised.value.message
