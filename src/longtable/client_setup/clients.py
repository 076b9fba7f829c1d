"""The MCP clients that we can configure: where their files are, and how an entry looks in each."""

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from longtable.client_setup import jsonc_text, toml_text, yaml_text
from longtable.kernel.user_folders import UserFolders

NAME: Final = "longtable"
TOKEN: Final = "LONGTABLE_TOKEN"


@dataclass(frozen=True, slots=True)
class HttpServer:
    """`takes_token` says that the client sends the token in the variable `LONGTABLE_TOKEN` of its environment."""

    url: str
    agent: str | None = None
    takes_token: bool = False

    def headers(self, reference: str) -> dict[str, str]:
        """`reference` is how the client writes a variable, with {} for its name."""
        token = {"Authorization": f"Bearer {reference.format(TOKEN)}"} if self.takes_token else {}
        return {**token, **({} if self.agent is None else {"X-Caller-Agent": self.agent})}


@dataclass(frozen=True, slots=True)
class StdioServer:
    command: str
    args: tuple[str, ...]


Server = HttpServer | StdioServer
Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class McpClient:
    """`keys` lead to our entry in the file, which `text` knows how to change. `over_http` is None for a client that
    only starts processes. `own_command` comes before the file, where its program is found."""

    name: str
    title: str
    path: Callable[[UserFolders], Path]
    text: ModuleType
    keys: tuple[str, ...]
    over_stdio: Callable[[StdioServer], Entry]
    over_http: Callable[[HttpServer], Entry] | None
    own_command: "OwnCommand | None" = None

    def entry(self, server: Server) -> Entry | None:
        """None where the client has no such way."""
        if isinstance(server, StdioServer):
            return self.over_stdio(server)
        return None if self.over_http is None else self.over_http(server)

    def is_installed(self, folders: UserFolders) -> bool:
        path = self.path(folders)
        is_own_folder = path.parent != folders.home
        return path.exists() or (is_own_folder and path.parent.is_dir()) or self.finds_command() is not None

    def finds_command(self) -> str | None:
        return None if self.own_command is None else shutil.which(self.own_command.program)


@dataclass(frozen=True, slots=True)
class OwnCommand:
    """A program of the client that adds and removes servers. `adding` is None for what its options cannot say, and
    `removing` where it can only add: then the file is changed."""

    program: str
    adding: Callable[[Server], Sequence[str] | None]
    removing: Sequence[str] | None


def _with(key: str, values: Mapping[str, str]) -> dict[str, Any]:
    return {key: dict(values)} if values else {}


def _process(server: StdioServer) -> Entry:
    return {"command": server.command, "args": list(server.args)}


def _typed_process(server: StdioServer) -> Entry:
    return {"type": "stdio", **_process(server)}


def _at(url: str, reference: str, **first: str) -> Callable[[HttpServer], Entry]:
    """An entry with the address under this key, and headers."""
    return lambda server: {**first, url: server.url, **_with("headers", server.headers(reference))}


_vscode_http = _at("url", "${{env:{}}}", type="http")


def _codex_http(server: HttpServer) -> Entry:
    token = {"bearer_token_env_var": TOKEN} if server.takes_token else {}
    named = {} if server.agent is None else {"X-Caller-Agent": server.agent}
    return {"url": server.url, **token, **_with("http_headers", named)}


def _opencode_stdio(server: StdioServer) -> Entry:
    return {"type": "local", "command": [server.command, *server.args]}


def _goose(**more: Any) -> Entry:
    return {"enabled": True, "name": NAME, **more, "timeout": 300}


def _goose_stdio(server: StdioServer) -> Entry:
    return _goose(type="stdio", cmd=server.command, args=list(server.args))


def _goose_http(server: HttpServer) -> Entry:
    return _goose(type="streamable_http", uri=server.url, **_with("headers", server.headers("${{{}}}")))


def _claude_adds(server: Server) -> list[str]:
    if isinstance(server, HttpServer):
        headers = [f"{name}: {value}" for name, value in server.headers("${{{}}}").items()]
        words = ["--transport", "http", NAME, server.url]
        return ["mcp", "add", "--scope", "user", *words, *(word for each in headers for word in ("--header", each))]
    return ["mcp", "add", "--scope", "user", "--transport", "stdio", NAME, "--", server.command, *server.args]


def _vscode_adds(server: Server) -> list[str]:
    entry = _vscode_http(server) if isinstance(server, HttpServer) else _typed_process(server)
    return ["--add-mcp", json.dumps({"name": NAME, **entry})]


def _codex_adds(server: Server) -> list[str] | None:
    if isinstance(server, StdioServer):
        return ["mcp", "add", NAME, "--", server.command, *server.args]
    if server.agent is not None:
        return None
    return ["mcp", "add", NAME, "--url", server.url, *(["--bearer-token-env-var", TOKEN] if server.takes_token else [])]


def _gemini_adds(server: Server) -> list[str]:
    if isinstance(server, StdioServer):
        return ["mcp", "add", "--scope", "user", NAME, server.command, "--", *server.args]
    headers = [f"{name}: {value}" for name, value in server.headers("${{{}}}").items()]
    words = [
        "mcp",
        "add",
        "--scope",
        "user",
        "--transport",
        "http",
        *(word for each in headers for word in ("--header", each)),
    ]
    return [*words, NAME, server.url]


def _config_folder(folders: UserFolders) -> Path:
    return folders.settings if folders.platform == "win32" else folders.home / ".config"


def _goose_path(folders: UserFolders) -> Path:
    if folders.platform == "win32":
        return folders.settings / "Block" / "goose" / "config" / "config.yaml"
    return folders.home / ".config" / "goose" / "config.yaml"


_SERVERS = ("mcpServers", NAME)

CLIENTS: Final[Mapping[str, McpClient]] = {
    client.name: client
    for client in (
        McpClient(
            "claude-code",
            "Claude Code",
            lambda folders: folders.home / ".claude.json",
            jsonc_text,
            _SERVERS,
            _typed_process,
            _at("url", "${{{}}}", type="http"),
            OwnCommand("claude", _claude_adds, ("mcp", "remove", "--scope", "user", NAME)),
        ),
        McpClient(
            "claude-desktop",
            "Claude Desktop",
            lambda folders: folders.settings / "Claude" / "claude_desktop_config.json",
            jsonc_text,
            _SERVERS,
            _process,
            None,
        ),
        McpClient(
            "cursor",
            "Cursor",
            lambda folders: folders.home / ".cursor" / "mcp.json",
            jsonc_text,
            _SERVERS,
            _process,
            _at("url", "${{env:{}}}"),
        ),
        McpClient(
            "vscode",
            "VS Code",
            lambda folders: folders.settings / "Code" / "User" / "mcp.json",
            jsonc_text,
            ("servers", NAME),
            _typed_process,
            _vscode_http,
            OwnCommand("code", _vscode_adds, None),
        ),
        McpClient(
            "codex",
            "Codex",
            lambda folders: folders.home / ".codex" / "config.toml",
            toml_text,
            ("mcp_servers", NAME),
            _process,
            _codex_http,
            OwnCommand("codex", _codex_adds, ("mcp", "remove", NAME)),
        ),
        McpClient(
            "gemini-cli",
            "Gemini CLI",
            lambda folders: folders.home / ".gemini" / "settings.json",
            jsonc_text,
            _SERVERS,
            _process,
            _at("httpUrl", "${{{}}}"),
            OwnCommand("gemini", _gemini_adds, ("mcp", "remove", "--scope", "user", NAME)),
        ),
        McpClient(
            "zed",
            "Zed",
            lambda folders: (
                _config_folder(folders) / ("Zed" if folders.platform == "win32" else "zed") / "settings.json"
            ),
            jsonc_text,
            ("context_servers", NAME),
            _process,
            _at("url", "${{{}}}"),
        ),
        McpClient(
            "windsurf",
            "Windsurf",
            lambda folders: folders.home / ".codeium" / "windsurf" / "mcp_config.json",
            jsonc_text,
            _SERVERS,
            _process,
            _at("serverUrl", "${{env:{}}}"),
        ),
        McpClient(
            "opencode",
            "opencode",
            lambda folders: folders.home / ".config" / "opencode" / "opencode.json",
            jsonc_text,
            ("mcp", NAME),
            _opencode_stdio,
            _at("url", "{{env:{}}}", type="remote"),
        ),
        McpClient("goose", "goose", _goose_path, yaml_text, ("extensions", NAME), _goose_stdio, _goose_http),
    )
}
