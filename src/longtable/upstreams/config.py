"""The gateway file: upstreams, rules and limits. It is checked as a whole before anything starts."""

import os
import re
import shutil
import socket
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar, get_args
from urllib.parse import urlsplit

from longtable.governance.model import Rate
from longtable.governance.rules import Rule, parse_rate, parse_rules
from longtable.kernel.errors import ConfigError
from longtable.upstreams.addresses import check_address, check_host, literal
from longtable.upstreams.config_text import ConfigValue, read_document
from longtable.upstreams.entries import (
    ConfigContext,
    McpEntry,
    OpenApiEntry,
    StdioEntry,
    check_unique,
    located_in,
    read_mcp,
    read_openapi,
)

E = TypeVar("E")

Listing = Literal["auto", "full", "search"]

_KEYS = ("mcpServers", "openapi", "playbooks", "rules", "rate_limits", "prefix", "listing", "allowed_hosts")
_CLIENT_KEYS = (
    *("$schema", "globalShortcut", "preferences", "theme", "locale", "scale", "userThemeMode", "allowDevTools"),
    *("isUsingBuiltInNodeForMcp", "isDxtAutoUpdatesEnabled", "dxt:allowlistEnabled", "numStartups"),
)
"""Keys of client programs beside mcpServers in their own files; ignored."""
_RATES = ("tool", "caller", "tenant")
_PREFIX = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,15}")
_NAME = re.compile(r"[^\x00-\x1f\x7f]{1,64}")


@dataclass(frozen=True, slots=True)
class Rates:
    """Calls of one tool by one caller, of one caller, of a whole tenant; None where the file says nothing."""

    tool: Rate | None = None
    caller: Rate | None = None
    tenant: Rate | None = None


@dataclass(frozen=True, slots=True)
class GatewayFile:
    """`rules` include the layer_overrides of upstreams. No repr shows a secret."""

    path: Path
    mcp: tuple[McpEntry, ...] = ()
    openapi: tuple[OpenApiEntry, ...] = ()
    playbooks: Path | None = None
    rules: tuple[Rule, ...] = ()
    rate_limits: Rates = Rates()
    prefix: str | None = None
    listing: Listing | None = None
    allowed_hosts: frozenset[str] = frozenset()

    def missing_programs(self) -> list[StdioEntry]:
        """Entries whose command is not found."""
        programs = [entry for entry in self.mcp if isinstance(entry, StdioEntry)]
        path = os.environ.get("PATH")
        return [each for each in programs if shutil.which(each.command, path=each.env.get("PATH", path)) is None]


def load_gateway_file(
    path: Path,
    *,
    own: Sequence[tuple[str, int]] = (),
    environ: Mapping[str, str] | None = None,
) -> GatewayFile:
    """`own` are the hosts and ports of this server. Raises ConfigError with the place of a mistake."""
    node = read_document(path)
    keys = node.keys("the gateway file", _KEYS, _CLIENT_KEYS)
    context = ConfigContext(
        folder=path.resolve().parent,
        environ=os.environ if environ is None else environ,
        is_private=_is_private(path),
        is_own=lambda url: is_own_listener(url, own),
    )
    mcp, mcp_rules = _read_entries(_named_servers(keys.get("mcpServers")), read_mcp, context)
    openapi, openapi_rules = _read_entries(_named_documents(keys.get("openapi")), read_openapi, context)
    check_unique([*mcp, *openapi], node)
    return GatewayFile(
        path=path,
        mcp=mcp,
        openapi=openapi,
        playbooks=_folder(keys.get("playbooks"), context.folder),
        rules=_rules(keys.get("rules")) + mcp_rules + openapi_rules,
        rate_limits=_rates(keys.get("rate_limits")),
        prefix=_prefix(keys.get("prefix")),
        listing=_listing(keys.get("listing")),
        allowed_hosts=_hosts(keys.get("allowed_hosts")),
    )


def refuse_taken_names(file: GatewayFile, taken: Mapping[str, str]) -> None:
    """`taken` are names of upstreams outside the file, each with a description."""
    for key, entries in (("mcpServers", file.mcp), ("openapi", file.openapi)):
        for entry in entries:
            if entry.name in taken:
                place = f"{key}.{entry.name}"
                raise ConfigError(f"{place}: that is the name of {taken[entry.name]}; choose another.", place=place)


def is_own_listener(url: str, own: Sequence[tuple[str, int]]) -> bool:
    """Whether a URL leads to one of our own listeners, however this machine is spelled."""
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return any(
        port == own_port and (host == own_host or (_is_this_host(host) and _is_this_host(own_host)))
        for own_host, own_port in own
    )


def _is_this_host(host: str) -> bool:
    address = literal(host)
    if address is None:
        return host.lower() in ("localhost", "", socket.gethostname().lower())
    mapped = getattr(address, "ipv4_mapped", None)
    return check_address(mapped or address) in ("loopback", "unspecified")


def _is_private(path: Path) -> bool:
    return stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


def _read_entries(
    named: Iterable[tuple[str, ConfigValue]],
    read: Callable[[str, ConfigValue, ConfigContext], tuple[E, tuple[Rule, ...]] | None],
    context: ConfigContext,
) -> tuple[tuple[E, ...], tuple[Rule, ...]]:
    """Without those that are disabled."""
    entries: list[E] = []
    rules: list[Rule] = []
    for name, each in named:
        check_name(name, each)
        entry_and_rules = read(name, each, context)
        if entry_and_rules is not None:
            entries.append(entry_and_rules[0])
            rules.extend(entry_and_rules[1])
    return tuple(entries), tuple(rules)


def _named_servers(node: ConfigValue | None) -> Iterable[tuple[str, ConfigValue]]:
    return () if node is None else node.entries("servers by their names").items()


def _named_documents(node: ConfigValue | None) -> Iterable[tuple[str, ConfigValue]]:
    """In a list the name of a document is its pack, or else its file name."""
    if node is None:
        return ()
    if not isinstance(node.value, list):
        return node.entries("documents by their names, or a list of them").items()
    named = []
    for each in node.items():
        inside = each.entries("an OpenAPI document")
        source = inside.get("pack") or inside.get("openapi")
        if source is None:
            raise each.error("must have the key openapi, a file or an address")
        text = source.text()
        named.append((text if source.place.endswith(".pack") else Path(urlsplit(text).path).stem, each))
    return named


def check_name(name: str, node: ConfigValue) -> None:
    if not _NAME.fullmatch(name):
        raise node.error("must have a name of 1 to 64 printable characters")


def _folder(node: ConfigValue | None, folder: Path) -> Path | None:
    if node is None:
        return None
    path = folder / node.text()
    if not path.is_dir():
        raise node.error(f"is no folder: {path}")
    return path


def _rules(node: ConfigValue | None) -> tuple[Rule, ...]:
    if node is None:
        return ()
    try:
        return parse_rules(node.value, "rules")
    except ConfigError as error:
        raise located_in(node, error) from None


def _rates(node: ConfigValue | None) -> Rates:
    if node is None:
        return Rates()
    rates: dict[str, Rate | None] = {}
    for key, each in node.keys("rate_limits", _RATES).items():
        try:
            rates[key] = parse_rate(each.value, each.place)
        except ConfigError as error:
            raise located_in(each, error) from None
    return Rates(**rates)


def _prefix(node: ConfigValue | None) -> str | None:
    if node is None:
        return None
    if not _PREFIX.fullmatch(node.text()):
        raise node.error("must be 1 to 16 letters, digits or -, and begin with a letter")
    return node.text()


def _listing(node: ConfigValue | None) -> Listing | None:
    if node is None:
        return None
    known: dict[str, Listing] = {each: each for each in get_args(Listing)}
    return known[node.one_of(tuple(known))]


def _hosts(node: ConfigValue | None) -> frozenset[str]:
    hosts = set()
    for each in node.items() if node is not None else ():
        host = each.text()
        if literal(host) is None and check_host(host) is not None:
            raise each.error("must be a host such as db.internal or 10.0.0.7, without scheme, port or path")
        hosts.add(host.lower())
    return frozenset(hosts)
