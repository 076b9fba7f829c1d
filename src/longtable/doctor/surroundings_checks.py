"""The machine, the port, the model, other servers, and clients that are to use Longtable."""

import shutil
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2

from longtable.client_setup.clients import CLIENTS, McpClient
from longtable.client_setup.mistakes import MalformedFile
from longtable.doctor.findings import HealthFinding, fine
from longtable.embedding.files import model_files
from longtable.kernel.errors import ConfigError
from longtable.kernel.user_folders import UserFolders
from longtable.settings.checks import is_loopback
from longtable.settings.options import Settings
from longtable.storage.inspection import HAS_OLD_SQLITE, SQLITE
from longtable.upstreams.config import load_gateway_file

if sys.platform != "win32":
    import resource

_SECONDS: Final = 2.0
_FEW_FILES: Final = 256
_THIS_MACHINE: Final = ("127.0.0.1", "localhost", "::1")


def check_machine() -> Iterator[HealthFinding]:
    python = ".".join(map(str, sys.version_info[:3]))
    if HAS_OLD_SQLITE:
        yield HealthFinding("versions", "error", f"SQLite {SQLITE} is too old.", "Install a newer Python.")
    else:
        yield fine("versions", f"Python {python}, SQLite {SQLITE}.")
    if sys.platform != "win32":
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if files < _FEW_FILES:
            yield HealthFinding("versions", "warning", f"Only {files} files may be open.", "ulimit -n 4096")


def check_port(settings: Settings) -> Iterator[HealthFinding]:
    host, port = settings.http_host.strip("[]"), settings.http_port
    if settings.auth_mode == "off" and not is_loopback(settings.http_host):
        problem = f"http_host is {host}, and nobody has to sign in."
        yield HealthFinding("port", "error", problem, "Switch auth on (--auth tokens), or listen on 127.0.0.1.")
    if port == 0 or not _is_taken(host, port):
        yield fine("port", f"{port} is free: no server runs there.")
        return
    try:
        name = f"[{host}]" if ":" in host else host
        answer = httpx2.get(f"http://{name}:{port}/health", timeout=_SECONDS)
        is_ours = answer.status_code == 200 and answer.json() == {"status": "ok"}
    except (httpx2.HTTPError, ValueError):
        is_ours = False
    if is_ours:
        yield fine("port", f"A server of Longtable answers on {port}.")
    else:
        problem = f"Another program listens on {port}."
        yield HealthFinding("port", "error", problem, "Stop it, or choose another port with --http-port.")


def check_console(settings: Settings) -> Iterator[HealthFinding]:
    if not settings.enable_console:
        return
    page = Path(__file__).parent.parent / "console" / "static" / "index.html"
    if page.exists():
        yield fine("console", "It is built.")
    elif shutil.which("npm"):
        yield HealthFinding("console", "warning", "The console is not built.", "make web")
    else:
        yield HealthFinding("console", "warning", "The console is not built.", "Install Node and run 'make web'.")


def check_model(settings: Settings) -> Iterator[HealthFinding]:
    if not settings.enable_semantic_search:
        return
    problem = model_files(settings.embedding_model).problem()
    if problem is None:
        yield fine("model", "Search by meaning has what it needs.")
    else:
        remedy = "Install Longtable again, or switch it off with --enable-semantic-search false."
        yield HealthFinding("model", "warning", f"Search by meaning does not work: {problem}", remedy)


def check_upstreams(settings: Settings) -> Iterator[HealthFinding]:
    if settings.gateway_config is None:
        return
    try:
        file = load_gateway_file(settings.gateway_config)
    except ConfigError as error:
        yield HealthFinding(
            "upstreams", "error", error.message, "Repair the file; a running server keeps what it read last."
        )
        return
    for entry in file.missing_programs():
        problem = f"{entry.name}: there is no program {entry.command!r}."
        yield HealthFinding("upstreams", "error", problem, "Install it, or give its whole path in the gateway file.")
    yield fine("upstreams", f"{settings.gateway_config} has {len(file.mcp) + len(file.openapi)} servers.")


def check_clients() -> Iterator[HealthFinding]:
    folders = UserFolders.here()
    files = [(client, client.path(folders)) for client in CLIENTS.values() if client.path(folders).is_file()]
    connected = []
    for client, path in files:
        try:
            entry = _entry(client, path)
        except (MalformedFile, OSError, UnicodeDecodeError) as error:
            remedy = f"Repair {path}: {client.title} cannot read it either."
            yield HealthFinding("clients", "warning", f"{client.title}: {path} cannot be read: {error}", remedy)
            continue
        if entry is not None:
            connected.append(client.title)
            yield from _check_program(client, entry)
            yield from _check_address(client, entry)
    yield fine("clients", f"Connected: {', '.join(connected) or 'none'}.")


def _check_program(client: McpClient, entry: dict[str, Any]) -> Iterator[HealthFinding]:
    command = entry.get("command") or entry.get("cmd")
    program = command[0] if isinstance(command, list) and command else command
    if isinstance(program, str) and shutil.which(program) is None:
        problem = f"{client.title} starts {program}, which is not there."
        yield HealthFinding("clients", "error", problem, f"longtable connect {client.name}")


def _check_address(client: McpClient, entry: dict[str, Any]) -> Iterator[HealthFinding]:
    address = next(
        (entry[key] for key in ("url", "uri", "serverUrl", "httpUrl") if isinstance(entry.get(key), str)), ""
    )
    parts = urlsplit(address)
    try:
        port = parts.port
    except ValueError:
        port = None
    if parts.hostname in _THIS_MACHINE and port and not _is_taken(parts.hostname, port):
        problem = f"{client.title} uses {parts.scheme}://{parts.hostname}:{port}, where nothing answers."
        remedy = (
            f"Start 'longtable serve --http-port {port}', or let it start a process: 'longtable connect {client.name}'."
        )
        yield HealthFinding("clients", "warning", problem, remedy)


def _entry(client: McpClient, path: Path) -> dict[str, Any] | None:
    found: Any = client.text.load(path.read_text(encoding="utf-8"))
    for key in client.keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else None


def _is_taken(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), _SECONDS).close()
    except OSError:
        return False
    return True
