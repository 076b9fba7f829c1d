"""The servers of another client's configuration, as Longtable understands them."""

import json
from pathlib import Path
from typing import Any

import pytest

from longtable.kernel.errors import ConfigError
from longtable.kernel.user_folders import UserFolders
from longtable.upstreams.client_config import (
    ClientServer,
    entry_of,
    is_longtable,
    paths_of,
    read_client_configuration,
)

HOME = Path("/home/ada")


def saved(folder: Path, text: str, name: str = "mcp.json") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("client", "platform", "path"),
    [
        ("claude-desktop", "linux", "/home/ada/.config/Claude/claude_desktop_config.json"),
        ("claude-desktop", "darwin", "/home/ada/Library/Application Support/Claude/claude_desktop_config.json"),
        ("claude-desktop", "win32", "/roaming/Claude/claude_desktop_config.json"),
        ("cursor", "linux", "/shop/.cursor/mcp.json"),
        ("cursor", "darwin", "/home/ada/.cursor/mcp.json"),
        ("vscode", "linux", "/shop/.vscode/mcp.json"),
        ("vscode", "linux", "/home/ada/.config/Code/User/mcp.json"),
        ("vscode", "darwin", "/home/ada/Library/Application Support/Code/User/mcp.json"),
        ("vscode", "win32", "/roaming/Code/User/mcp.json"),
    ],
)
def test_each_client_is_looked_for_where_it_keeps_its_configuration(client: Any, platform: str, path: str) -> None:
    folders = UserFolders(HOME, Path("/shop"), Path("/roaming"), platform)

    assert Path(path) in paths_of(client, folders)


def test_comments_and_trailing_commas_are_allowed_and_text_with_slashes_stays(tmp_path: Path) -> None:
    text = """{
      // servers of the team
      "servers": {
        "docs": {"type": "http", "url": "https://docs.example/a//b", /* two */ "headers": {"X": "a,]",},},
      },
    }"""

    (server,) = read_client_configuration(saved(tmp_path, text)).servers

    assert server.raw["url"] == "https://docs.example/a//b"
    assert server.raw["headers"] == {"X": "a,]"}


def test_a_file_that_is_not_json_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="line 2"):
        read_client_configuration(saved(tmp_path, '{\n"mcpServers": oops}'))


def test_what_the_client_asks_for_is_known_with_its_words(tmp_path: Path) -> None:
    configuration = {
        "inputs": [{"id": "key", "type": "promptString", "description": "The key of Ada", "password": True}],
        "servers": {"docs": {"command": "docs", "env": {"KEY": "${input:key}", "ROOM": "${input:room}"}}},
    }

    (server,) = read_client_configuration(saved(tmp_path, json.dumps(configuration))).servers

    assert [(each.id, each.description, each.is_secret) for each in server.inputs] == [
        ("key", "The key of Ada", True),
        ("room", "room", True),
    ]


def test_variables_of_the_client_are_replaced_and_those_of_the_environment_stay(tmp_path: Path) -> None:
    raw = {
        "command": "serve",
        "args": ["${workspaceFolder}/data", "${userHome}", "${workspaceFolderBasename}"],
        "env": {"KEY": "${input:key}", "OTHER": "${env:OTHER}"},
    }
    path = saved(tmp_path / "shop" / ".vscode", json.dumps({"servers": {"docs": raw}}))
    configuration = read_client_configuration(path)

    entry = entry_of(configuration.servers[0], configuration.folder, HOME, {"key": "a${b}"})

    assert entry["args"] == [f"{tmp_path / 'shop'}/data", "/home/ada", "shop"]
    assert entry["env"] == {"KEY": "a$${b}", "OTHER": "${env:OTHER}"}


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ({"command": "x", "args": ["${workspaceFolder}"]}, "belongs to no workspace"),
        ({"command": "x", "envFile": ".env"}, "envFile"),
        ({"command": "x", "env": {"KEY": "${input:key}"}}, "--input key=VALUE"),
        ({}, "no object"),
    ],
)
def test_what_cannot_be_taken_is_refused_with_the_reason(raw: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        entry_of(ClientServer("docs", raw), None, HOME, {})


@pytest.mark.parametrize(
    ("raw", "ours"),
    [
        ({"command": "longtable"}, True),
        ({"command": "/usr/bin/longtable", "args": ["stdio"]}, True),
        ({"command": "uvx", "args": ["longtable==2.0"]}, True),
        ({"command": "python", "args": ["-m", "longtable"]}, True),
        ({"command": "npx", "args": ["-y", "tables"]}, False),
        ({"url": "https://longtable.example/mcp"}, False),
    ],
)
def test_an_entry_that_starts_longtable_is_recognised(raw: dict[str, Any], ours: bool) -> None:
    assert is_longtable(raw) is ours
