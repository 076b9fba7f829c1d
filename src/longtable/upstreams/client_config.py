"""The servers in the configuration of an MCP client, as entries of ours: of Claude Desktop, Cursor, VS Code, or of any
file of the same form."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, Literal

from longtable.kernel.errors import ConfigError
from longtable.kernel.user_folders import UserFolders
from longtable.upstreams.config_text import read_text

Client = Literal["claude-desktop", "cursor", "vscode"]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\r\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_OURS = re.compile(r"longtable(-[a-z]+)?(\.exe)?")
_URLS = ("serverUrl", "httpUrl")
_DROPPED = ("dev", "disabled", "disabledTools", "icon", "iconUrl")


@dataclass(frozen=True, slots=True)
class ClientInput:
    """A value that the client asks its user for."""

    id: str
    description: str
    is_secret: bool


@dataclass(frozen=True, slots=True)
class ClientServer:
    """`raw` may hold secrets. `inputs` are those that it refers to."""

    name: str
    raw: Mapping[str, Any] = field(repr=False)
    inputs: tuple[ClientInput, ...] = ()
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class ClientConfiguration:
    """`folder` is the workspace that the file belongs to, if it does."""

    path: Path
    servers: tuple[ClientServer, ...]
    folder: Path | None


def paths_of(client: Client, folders: UserFolders) -> list[Path]:
    """Where the client's configuration may be: of the present folder first, then of the user."""
    if client == "claude-desktop":
        return [folders.settings / "Claude" / "claude_desktop_config.json"]
    if client == "cursor":
        return [folders.current / ".cursor" / "mcp.json", folders.home / ".cursor" / "mcp.json"]
    return [folders.current / ".vscode" / "mcp.json", folders.settings / "Code" / "User" / "mcp.json"]


def read_client_configuration(path: Path) -> ClientConfiguration:
    """Raises ConfigError. Comments and trailing commas are allowed, as clients allow them."""
    found = _read(path)
    declared = {str(each.get("id")): each for each in _list(found.get("inputs")) if isinstance(each, Mapping)}
    servers = found.get("mcpServers") or found.get("servers") or found.get("context_servers")
    if not isinstance(servers, Mapping):
        raise ConfigError(f"{path}: it has no servers: neither mcpServers nor servers.", file=str(path))
    is_of_workspace = path.parent.name in (".vscode", ".cursor")
    return ClientConfiguration(
        path,
        tuple(_server(str(name), raw, declared) for name, raw in servers.items()),
        path.resolve().parent.parent if is_of_workspace and path.parent.parent != Path.home() else None,
    )


def entry_of(server: ClientServer, folder: Path | None, home: Path, answers: Mapping[str, str]) -> dict[str, Any]:
    """With the client's own variables replaced; those of the environment stay references. Raises ConfigError for what
    has no meaning here."""
    if not server.raw:
        raise ConfigError("it is no object with command or url.")
    raw = {key: value for key, value in server.raw.items() if key not in _DROPPED}
    for key in _URLS:
        if key in raw and "url" not in raw:
            raw["url"] = raw.pop(key)
    if "envFile" in raw:
        raise ConfigError("it reads its environment from a file (envFile): name the variables under env.")

    def replace(match: re.Match[str]) -> str:
        return _replacement(match, folder, home, answers)

    return {key: _replaced(value, replace) for key, value in raw.items()}


def is_longtable(raw: Any) -> bool:
    """Whether it starts this program: it cannot be its own upstream."""
    if not isinstance(raw, Mapping):
        return False
    words = [raw.get("command"), *_list(raw.get("args"))[:4]]
    return any(isinstance(word, str) and _OURS.fullmatch(PurePath(word).name.split("==")[0]) for word in words)


def _read(path: Path) -> Mapping[str, Any]:
    text = read_text(path)
    try:
        found = json.loads(without_comments(text))
    except json.JSONDecodeError as error:
        problem = f"{path}: line {error.lineno}, column {error.colno}: not JSON: {error.msg}."
        raise ConfigError(problem, file=str(path), line=error.lineno) from None
    except RecursionError:
        raise ConfigError(f"{path}: too deep.", file=str(path)) from None
    if not isinstance(found, Mapping):
        raise ConfigError(f"{path}: must be an object.", file=str(path))
    return found


def without_comments(text: str) -> str:
    """JSON with comments and trailing commas as plain JSON; lines keep their numbers."""

    def blank(match: re.Match[str]) -> str:
        return match[0] if match[0].startswith('"') else re.sub(r"[^\r\n]", " ", match[0])

    return _TRAILING_COMMA.sub(lambda match: match[1] or " ", _TOKEN.sub(blank, text))


def _server(name: str, raw: Any, declared: Mapping[str, Mapping[str, Any]]) -> ClientServer:
    ids = dict.fromkeys(
        match[1].removeprefix("input:")
        for match in _VARIABLE.finditer(json.dumps(raw, ensure_ascii=False))
        if match[1].startswith("input:")
    )
    inputs = tuple(_input(each, declared.get(each, {})) for each in ids)
    known = raw if isinstance(raw, Mapping) else {}
    return ClientServer(name, known, inputs, known.get("disabled") is not True)


def _input(id: str, declared: Mapping[str, Any]) -> ClientInput:
    # One that is not declared may be anything: better not shown.
    return ClientInput(id, str(declared.get("description") or id), bool(declared.get("password", not declared)))


def _replaced(value: Any, replace: Callable[[re.Match[str]], str]) -> Any:
    if isinstance(value, str):
        return _VARIABLE.sub(replace, value)
    if isinstance(value, list):
        return [_replaced(each, replace) for each in value]
    if isinstance(value, Mapping):
        return {key: _replaced(each, replace) for key, each in value.items()}
    return value


def _replacement(match: re.Match[str], folder: Path | None, home: Path, answers: Mapping[str, str]) -> str:
    inside = match[1]
    if inside.startswith("input:"):
        answer = answers.get(inside.removeprefix("input:"))
        if answer is None:
            raise ConfigError(f"it needs a value: give --input {inside.removeprefix('input:')}=VALUE.")
        return answer.replace("${", "$${")
    if inside in ("workspaceFolder", "workspaceFolderBasename"):
        if folder is None:
            raise ConfigError(f"it uses ${{{inside}}}, and the file belongs to no workspace.")
        return str(folder) if inside == "workspaceFolder" else folder.name
    if inside == "userHome":
        return str(home)
    if inside in ("pathSeparator", "/"):
        return str(PurePath("/"))
    return match[0]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
