"""Reads playbooks: YAML files with steps, each the call of a tool."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import jsonschema_rs

from longtable.gateway.expressions import ANYTHING, expressions, problem_with, referenced_names
from longtable.governance.model import Hints, ToolDefinition, ToolIdentity
from longtable.kernel.errors import ConfigError
from longtable.upstreams.config_text import ConfigValue, read_document

UPSTREAM = "playbooks"
MAX_STEPS = 100
_KEYS = ("name", "pack", "title", "description", "inputs", "steps", "output")
_STEP_KEYS = ("tool", "inputs", "save_as")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NO_INPUTS = {"type": "object", "properties": {}}


@dataclass(frozen=True)
class Step:
    """`inputs` may hold `{{ expression }}`, in JMESPath, over the inputs and the saved results of earlier steps."""

    tool: str
    inputs: Mapping[str, Any]
    save_as: str | None

    @cached_property
    def is_known_beforehand(self) -> bool:
        """Whether the call depends on the playbook's inputs alone, not on an earlier result."""
        return referenced_names(self.inputs) <= {"inputs"}


@dataclass(frozen=True, slots=True)
class Playbook:
    definition: ToolDefinition
    steps: tuple[Step, ...]
    output: Any


def load_playbooks(folder: Path) -> list[Playbook]:
    """Raises ConfigError with the file and the place in it."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix in (".yaml", ".yml") and path.is_file())
    except OSError as error:
        raise ConfigError(f"playbooks: {folder} cannot be read: {error.strerror}.", place="playbooks") from None
    books: dict[ToolIdentity, Playbook] = {}
    spots = [(path, read_document(path)) for path in paths]
    for path, node in spots:
        book = _playbook(path, node)
        if book.definition.identity in books:
            raise _inside(node, "name").error(f"{book.definition.identity} is the name of another playbook")
        books[book.definition.identity] = book
    for (_, node), book in zip(spots, books.values(), strict=True):
        _refuse_nesting(node, book, {str(identity) for identity in books})
    return list(books.values())


def _refuse_nesting(node: ConfigValue, book: Playbook, names: set[str]) -> None:
    """A nested playbook could run itself for ever, and a person who approves the outer one would not see it."""
    for step, where in zip(book.steps, node.at("steps").items(), strict=True):
        if step.tool in names:
            raise where.at("tool").error(f"{step.tool} is a playbook, which cannot be a step of one")


def _playbook(path: Path, node: ConfigValue) -> Playbook:
    _check_json(node)
    keys = node.keys("a playbook", _KEYS)
    identity = _identity(path, node, keys)
    schema = _schema(keys.get("inputs"))
    steps, known = _steps(node, keys)
    output = keys["output"].value if "output" in keys else None
    if "output" in keys:
        _check_expressions(keys["output"], known)
    definition = ToolDefinition(
        upstream=UPSTREAM,
        identity=identity,
        remote=str(identity),
        title=_optional(keys, "title"),
        description=_optional(keys, "description"),
        input_schema=schema,
        # The policy decides by the steps.
        hints=Hints(read_only=True),
        is_playbook=True,
        trust="full",
        body={"steps": [[step.tool, dict(step.inputs), step.save_as] for step in steps], "output": output},
    )
    return Playbook(definition, steps, output)


def _check_json(node: ConfigValue) -> None:
    """YAML has dates, sets and recursive values; JSON does not."""
    try:
        json.dumps(node.value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise node.error("holds a value that JSON does not have; a date, for example, needs quotes") from None


def _identity(path: Path, node: ConfigValue, keys: Mapping[str, ConfigValue]) -> ToolIdentity:
    name = keys["name"].text() if "name" in keys else path.stem
    if "pack" in keys:
        pack = keys["pack"].text()
    else:
        pack, _, name = name.rpartition(".") if "." in name else ("default", "", name)
    if not pack or not name:
        raise _inside(node, "name").error("must be a text such as blog.publish_week")
    return ToolIdentity(pack, name)


def _schema(node: ConfigValue | None) -> dict[str, Any]:
    if node is None:
        return dict(_NO_INPUTS)
    if not isinstance(node.value, dict):
        raise node.error("must be a JSON Schema for the inputs")
    try:
        jsonschema_rs.meta.validate(node.value)
    except (jsonschema_rs.ValidationError, ValueError) as error:
        problem = getattr(error, "message", str(error))[:200]
        raise node.error(f"is not a JSON Schema: {problem}") from None
    return {"type": "object", **node.value}


def _steps(node: ConfigValue, keys: Mapping[str, ConfigValue]) -> tuple[tuple[Step, ...], set[str]]:
    step_nodes = keys["steps"].items() if "steps" in keys else []
    if not 1 <= len(step_nodes) <= MAX_STEPS:
        raise _inside(node, "steps").error(f"must be a list of 1 to {MAX_STEPS} steps")
    known = {"inputs"}
    steps = []
    for each in step_nodes:
        step = _step(each, known)
        steps.append(step)
        if step.save_as:
            known.add(step.save_as)
    return tuple(steps), known


def _step(node: ConfigValue, known: set[str]) -> Step:
    keys = node.keys("a step", _STEP_KEYS)
    if "tool" not in keys:
        raise node.error("must have the key tool")
    if "inputs" in keys:
        keys["inputs"].entries("the inputs of the tool")
        _check_expressions(keys["inputs"], known)
    save_as = keys["save_as"].text() if "save_as" in keys else None
    if save_as is not None and (not _WORD.fullmatch(save_as) or save_as in known):
        raise keys["save_as"].error("must be a word that is not taken yet, such as posts")
    return Step(keys["tool"].text(), keys["inputs"].value if "inputs" in keys else {}, save_as)


def _check_expressions(node: ConfigValue, known: set[str]) -> None:
    for text in expressions(node.value):
        problem = problem_with(text)
        if problem is not None:
            raise node.error(f"{{{{ {text[:80]} }}}} {problem}")
    unknown = sorted(referenced_names(node.value) - known - {ANYTHING})
    if unknown:
        raise node.error(f"refers to {unknown[0]}; known here: {', '.join(sorted(known))}")


def _optional(keys: Mapping[str, ConfigValue], name: str) -> str:
    return keys[name].text() if name in keys else ""


def _inside(node: ConfigValue, key: str) -> ConfigValue:
    """The place of a key, also of one that is missing."""
    return ConfigValue(None, key, node.document)
