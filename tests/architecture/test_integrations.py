"""What others read to install us is true: the plugin for Claude Code, and the entry for the registry of servers."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # the package has no types
import pytest

from longtable import __version__
from longtable.cli import hook
from longtable.settings.options import OPTIONS
from scripts import docs

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "integrations" / "claude-code"
SERVER = ROOT / "server.json"

INPUT = {
    "type": "object",
    "properties": {
        "value": {"type": "string"},
        "default": {"type": "string"},
        "description": {"type": "string"},
        "format": {"enum": ["string", "number", "boolean", "filepath"]},
        "isRequired": {"type": "boolean"},
        "isSecret": {"type": "boolean"},
    },
}
ENTRY = {
    "type": "object",
    "required": ["name", "description", "version"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"const": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"},
        "name": {"type": "string", "minLength": 3, "maxLength": 200, "pattern": "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$"},
        "title": {"type": "string", "minLength": 1, "maxLength": 100},
        "description": {"type": "string", "minLength": 1, "maxLength": 100},
        "version": {"type": "string", "maxLength": 255, "pattern": r"^\d+\.\d+\.\d+"},
        "repository": {
            "type": "object",
            "required": ["url", "source"],
            "additionalProperties": False,
            "properties": {"url": {"type": "string", "format": "uri"}, "source": {"type": "string"}},
        },
        "packages": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["registryType", "identifier", "version", "transport"],
                "additionalProperties": False,
                "properties": {
                    "registryType": {"const": "pypi"},
                    "identifier": {"type": "string"},
                    "version": {"type": "string", "minLength": 1, "maxLength": 255, "not": {"const": "latest"}},
                    "runtimeHint": {"type": "string"},
                    "transport": {
                        "type": "object",
                        "required": ["type"],
                        "additionalProperties": False,
                        "properties": {"type": {"const": "stdio"}},
                    },
                    "packageArguments": {
                        "type": "array",
                        "items": {
                            "allOf": [INPUT],
                            "required": ["type", "name"],
                            "properties": {"type": {"const": "named"}, "name": {"type": "string"}},
                        },
                    },
                    "environmentVariables": {
                        "type": "array",
                        "items": {"allOf": [INPUT], "required": ["name"], "properties": {"name": {"type": "string"}}},
                    },
                },
            },
        },
    },
}
"""What the schema of 2025-12-11 demands of the fields that we use; a field that it does not know would be a mistake."""


def read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def test_the_entry_for_the_registry_is_one() -> None:
    jsonschema.Draft202012Validator(ENTRY).validate(read(SERVER))


def test_the_entry_names_the_package_and_its_options() -> None:
    entry = read(SERVER)
    (package,) = entry["packages"]

    assert package["identifier"] == project()["name"]
    assert {entry["version"], package["version"]} == {__version__}
    known = {option.flag for option in OPTIONS} | {option.environment for option in OPTIONS}
    used = [each["name"] for each in (*package["packageArguments"], *package["environmentVariables"])]
    assert [name for name in used if name not in known] == []


def project() -> dict[str, Any]:
    described: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return described


def test_the_description_of_the_package_claims_the_entry() -> None:
    """The registry looks for it there. `README.md` is not published with the package."""
    assert f"mcp-name: {read(SERVER)['name']} " in (ROOT / project()["readme"]).read_text("utf-8")


def test_whoever_finds_the_package_finds_its_source_and_its_pages() -> None:
    repository = read(SERVER)["repository"]["url"]
    addresses = list(project()["urls"].values())

    assert {"Homepage", "Documentation", "Repository", "Issues", "Changelog"} == set(project()["urls"])
    assert [address for address in addresses if not address.startswith(repository)] == []


def test_links_of_the_package_are_absolute_and_lead_to_pages_that_there_are() -> None:
    """A package index knows nothing of the files beside its description."""
    page = (ROOT / project()["readme"]).read_text("utf-8")
    links = [*re.findall(r"\]\(([^)]+)\)", page), *project()["urls"].values()]
    files = [link.partition("/blob/main/")[2] for link in links if "/blob/" in link]

    assert [link for link in links if not link.startswith("https://")] == []
    assert [file for file in files if not (ROOT / file).is_file()] == []
    assert len(files) >= 4


def test_the_plugin_is_the_one_of_the_marketplace_and_has_our_version() -> None:
    manifest = read(PLUGIN / ".claude-plugin" / "plugin.json")
    (offered,) = read(ROOT / ".claude-plugin" / "marketplace.json")["plugins"]

    assert (ROOT / offered["source"]).resolve() == PLUGIN
    assert (offered["name"], offered["description"]) == (manifest["name"], manifest["description"])
    assert manifest["version"] == __version__


def test_the_hooks_of_the_plugin_are_those_that_the_command_knows() -> None:
    hooks = read(PLUGIN / "hooks" / "hooks.json")["hooks"]
    commands = {each["command"] for groups in hooks.values() for group in groups for each in group["hooks"]}

    assert set(hooks) == set(hook._HANDLERS)
    assert commands == {'sh "${CLAUDE_PLUGIN_ROOT}/hooks/table.sh"'}


def test_client_and_hook_read_the_same_variables_with_the_same_defaults() -> None:
    server = read(PLUGIN / ".mcp.json")["mcpServers"]["longtable"]
    defaults = dict(re.findall(r"\$\{(\w+):-([^}]*)\}", json.dumps(server)))

    assert defaults == {"LONGTABLE_URL": hook._URL, "LONGTABLE_AGENT": hook._AGENT, "LONGTABLE_TOKEN": "none"}


@pytest.mark.parametrize("page", [PLUGIN / "skills" / "longtable" / "SKILL.md"])
def test_the_skill_names_tools_and_arguments_that_there_are(page: Path) -> None:
    named = set(re.findall(r"`([a-z_]+)`", page.read_text("utf-8")))
    tools = {tool.name: tool for tool in docs.every_tool()}
    arguments = {name for tool in tools.values() for name in tool.arguments.model_fields}

    assert {"brief", "claim_task", "add_note", "add_question", "wait_for_answers"} <= named
    assert sorted(named - set(tools) - arguments - {"completed", "handover"}) == []


def test_the_skill_says_what_it_is_for() -> None:
    head = (PLUGIN / "skills" / "longtable" / "SKILL.md").read_text("utf-8").split("---")[1]
    facts = dict(line.split(": ", 1) for line in head.strip().splitlines())

    assert facts["name"] == "longtable"
    assert 50 < len(facts["description"]) < 1024
