"""The gateway file: which upstreams there are and what holds for them. It is checked as a whole before anything
starts."""

import os
import re
import socket
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
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
    check_unique,
    read_mcp,
    read_openapi,
    restated,
)

Listing = Literal["full", "search"]

_KEYS = ("mcpServers", "openapi", "playbooks", "rules", "rate_limits", "prefix", "listing", "allowed_hosts")
_OF_CLIENTS = (
    *("$schema", "globalShortcut", "preferences", "theme", "locale", "scale", "userThemeMode", "allowDevTools"),
    *("isUsingBuiltInNodeForMcp", "isDxtAutoUpdatesEnabled", "dxt:allowlistEnabled", "numStartups"),
)
"""Keys that client programs keep beside mcpServers in a file of their own, and that mean nothing here."""
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
    """`rules` include those that stand as layer_overrides with an upstream. Nothing here shows a secret."""

    path: Path
    mcp: tuple[McpEntry, ...] = ()
    openapi: tuple[OpenApiEntry, ...] = ()
    playbooks: Path | None = None
    rules: tuple[Rule, ...] = ()
    rate_limits: Rates = Rates()
    prefix: str | None = None
    listing: Listing | None = None
    allowed_hosts: frozenset[str] = frozenset()


def load_gateway_file(
    path: Path,
    *,
    own: Sequence[tuple[str, int]] = (),
    environ: Mapping[str, str] | None = None,
) -> GatewayFile:
    """`own` are the hosts and ports at which this server listens. Raises ConfigError with the place of a mistake."""
    spot = read_document(path)
    keys = spot.keys("the gateway file", _KEYS, _OF_CLIENTS)
    around = ConfigContext(
        folder=path.resolve().parent,
        environ=os.environ if environ is None else environ,
        is_private=_is_private(path),
        is_own=lambda url: is_own_listener(url, own),
    )
    mcp, mcp_rules = _read_mcp_servers(keys.get("mcpServers"), around)
    openapi, openapi_rules = _read_openapi_documents(keys.get("openapi"), around)
    check_unique([*mcp, *openapi], spot)
    return GatewayFile(
        path=path,
        mcp=mcp,
        openapi=openapi,
        playbooks=_folder(keys.get("playbooks"), around.folder),
        rules=_rules(keys.get("rules")) + mcp_rules + openapi_rules,
        rate_limits=_rates(keys.get("rate_limits")),
        prefix=_prefix(keys.get("prefix")),
        listing=_listing(keys.get("listing")),
        allowed_hosts=_hosts(keys.get("allowed_hosts")),
    )


def refuse_taken_names(file: GatewayFile, taken: Mapping[str, str]) -> None:
    """`taken` are the names of sources besides the upstreams of the file, each with what it is."""
    for key, entries in (("mcpServers", file.mcp), ("openapi", file.openapi)):
        for entry in entries:
            if entry.name in taken:
                place = f"{key}.{entry.name}"
                raise ConfigError(f"{place}: that is the name of {taken[entry.name]}; choose another.", place=place)


def is_own_listener(url: str, own: Sequence[tuple[str, int]]) -> bool:
    """Whether an address leads back to one of our own listeners, in whatever spelling of this machine."""
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return any(port == ours and (host == mine or (_is_here(host) and _is_here(mine))) for mine, ours in own)


def _is_here(host: str) -> bool:
    address = literal(host)
    if address is None:
        return host.lower() in ("localhost", "", socket.gethostname().lower())
    mapped = getattr(address, "ipv4_mapped", None)
    return check_address(mapped or address) in ("loopback", "unspecified")


def _is_private(path: Path) -> bool:
    return stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


def _read_mcp_servers(spot: ConfigValue | None, around: ConfigContext) -> tuple[tuple[McpEntry, ...], tuple[Rule, ...]]:
    entries: list[McpEntry] = []
    rules: list[Rule] = []
    for name, each in (spot.entries("servers by their names") if spot is not None else {}).items():
        _check_name(name, each)
        read = read_mcp(name, each, around)
        if read is not None:
            entries.append(read[0])
            rules.extend(read[1])
    return tuple(entries), tuple(rules)


def _read_openapi_documents(
    spot: ConfigValue | None, around: ConfigContext
) -> tuple[tuple[OpenApiEntry, ...], tuple[Rule, ...]]:
    entries: list[OpenApiEntry] = []
    rules: list[Rule] = []
    for name, each in _named_documents(spot):
        _check_name(name, each)
        entry, own_rules = read_openapi(name, each, around)
        entries.append(entry)
        rules.extend(own_rules)
    return tuple(entries), tuple(rules)


def _named_documents(spot: ConfigValue | None) -> list[tuple[str, ConfigValue]]:
    """A map has names; in a list a document is called by its pack, or else by its file."""
    if spot is None:
        return []
    if not isinstance(spot.value, list):
        return list(spot.entries("documents by their names, or a list of them").items())
    named = []
    for each in spot.items():
        inside = each.entries("an OpenAPI document")
        source = inside.get("pack") or inside.get("openapi")
        if source is None:
            raise each.wrong("must have the key openapi, a file or an address")
        text = source.text()
        named.append((text if source.place.endswith(".pack") else Path(urlsplit(text).path).stem, each))
    return named


def _check_name(name: str, spot: ConfigValue) -> None:
    if not _NAME.fullmatch(name):
        raise spot.wrong("must have a name of 1 to 64 printable characters")


def _folder(spot: ConfigValue | None, folder: Path) -> Path | None:
    if spot is None:
        return None
    path = folder / spot.text()
    if not path.is_dir():
        raise spot.wrong(f"is no folder: {path}")
    return path


def _rules(spot: ConfigValue | None) -> tuple[Rule, ...]:
    if spot is None:
        return ()
    try:
        return parse_rules(spot.value, "rules")
    except ConfigError as error:
        raise restated(spot, error) from None


def _rates(spot: ConfigValue | None) -> Rates:
    if spot is None:
        return Rates()
    rates: dict[str, Rate | None] = {}
    for key, each in spot.keys("rate_limits", _RATES).items():
        try:
            rates[key] = parse_rate(each.value, each.place)
        except ConfigError as error:
            raise restated(each, error) from None
    return Rates(**rates)


def _prefix(spot: ConfigValue | None) -> str | None:
    if spot is None:
        return None
    if not _PREFIX.fullmatch(spot.text()):
        raise spot.wrong("must be 1 to 16 letters, digits or -, and begin with a letter")
    return spot.text()


def _listing(spot: ConfigValue | None) -> Listing | None:
    if spot is None:
        return None
    return "search" if spot.one_of(("full", "search")) == "search" else "full"


def _hosts(spot: ConfigValue | None) -> frozenset[str]:
    hosts = set()
    for each in spot.items() if spot is not None else ():
        host = each.text()
        if literal(host) is None and check_host(host) is not None:
            raise each.wrong("must be a host such as db.internal or 10.0.0.7, without scheme, port or path")
        hosts.add(host.lower())
    return frozenset(hosts)
