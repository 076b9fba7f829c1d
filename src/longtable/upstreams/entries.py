"""The entries of the gateway file, one for each upstream."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from longtable.governance.model import Trust
from longtable.governance.rules import Rule, parse_rule
from longtable.kernel.errors import ConfigError
from longtable.upstreams.addresses import check_host, literal
from longtable.upstreams.config_text import ConfigValue
from longtable.upstreams.placeholders import placeholders_of
from longtable.upstreams.references import References, SecretMask, is_literal, looks_secret

Kind = Literal["stdio", "http", "sse"]

Verify = Literal["before", "parallel"]
"""When the tools are listed for a call of a reading tool whose upstream does not report changes: before the call, or
beside it, and then the result is withheld until the listing shows that the tool has not changed."""

InstanceScope = Literal["shared", "tenant", "session"]
"""Who has a process or a connection of its own: nobody, each tenant, each session."""

Sampling = Literal["allow", "deny"]
"""Whether an upstream may have the model of an agent's client write something."""

MIB = 1024 * 1024
_SHARED = (
    "scope",
    "pack",
    "layer_overrides",
    "allow",
    "deny",
    "timeout",
    "trust",
    "max_concurrency",
    "max_response_bytes",
)
_OURS = (*_SHARED, "memory", "verify", "sampling", "idle_timeout", "max_instances")
_STDIO = ("command", "args", "env", "cwd")
_HTTP = ("url", "headers", "oauth")
_OAUTH = ("client_id", "client_secret", "scopes")
_TOLERATED = ("type", "disabled", "description")
_IGNORED = ("autoApprove", "alwaysAllow", "gallery", "version", "tools")
"""Keys of other programs in the same object; ignored."""
MCP_KEYS = (*_STDIO, *_HTTP, *_OURS, *_TOLERATED, *_IGNORED)
OPENAPI_KEYS = ("openapi", "base_url", "headers", *_SHARED)
_TYPES: Mapping[str, Kind] = {
    "stdio": "stdio",
    "http": "http",
    "streamable-http": "http",
    "streamableHttp": "http",
    "sse": "sse",
}
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_GLOB = re.compile(r"([*?\[])")


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """Seconds per call, concurrent calls, bytes per result, bytes of memory. `idle_timeout` is after how many seconds
    without a call an instance of a tenant or a session ends, 0 for never; `max_instances` how many run at a time."""

    timeout: float = 30.0
    max_concurrency: int = 16
    max_response_bytes: int = MIB
    memory: int = 2048 * MIB
    idle_timeout: float = 900.0
    max_instances: int = 64


@dataclass(frozen=True, slots=True)
class UpstreamEntry:
    """`allow` and `deny` are patterns for its tools; an empty `allow` allows all."""

    name: str
    pack: str
    trust: Trust = "first-use"
    verify: Verify = "before"
    scope: InstanceScope = "shared"
    sampling: Sampling = "deny"
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    limits: ResourceLimits = ResourceLimits()
    mask: SecretMask = field(default_factory=SecretMask, compare=False)

    def lets_through(self, action: str) -> bool:
        if any(fnmatchcase(action, pattern) for pattern in self.deny):
            return False
        return not self.allow or any(fnmatchcase(action, pattern) for pattern in self.allow)


@dataclass(frozen=True, slots=True)
class StdioEntry(UpstreamEntry):
    command: str = ""
    args: tuple[str, ...] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: str | None = None
    instance_dir: str | None = None
    """A folder of its own for the program of one tenant or session, made before it starts."""


@dataclass(frozen=True, slots=True)
class OAuthSettings:
    """Without `client_id` a client is registered when an owner first connects; without `scopes` the upstream's
    metadata name them."""

    client_id: str | None = None
    client_secret: str | None = field(default=None, repr=False)
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HttpEntry(UpstreamEntry):
    """`kind` is http, or sse for a server with the legacy transport only. With `oauth`, each tenant has tokens of its
    own."""

    url: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    kind: Kind = "http"
    oauth: OAuthSettings | None = None


@dataclass(frozen=True, slots=True)
class OpenApiEntry(UpstreamEntry):
    """`document` is a file or an address."""

    document: str = field(default="", repr=False)
    base_url: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


McpEntry = StdioEntry | HttpEntry


@dataclass(frozen=True, slots=True)
class ConfigContext:
    """`is_private` says that no other user can read the file, `is_own` that a URL is this server's."""

    folder: Path
    environ: Mapping[str, str] = field(repr=False)
    is_private: bool
    is_own: Callable[[str], bool]


def read_mcp(name: str, node: ConfigValue, context: ConfigContext) -> tuple[McpEntry, tuple[Rule, ...]] | None:
    """None for a disabled entry."""
    keys = node.keys("an MCP server", MCP_KEYS)
    if "disabled" in keys and keys["disabled"].flag():
        return None
    kind = _kind(node, keys)
    shared = _shared(name, keys, "tenant" if kind == "stdio" or "oauth" in keys else "shared")
    values = _Values(context, placeholders_of(shared["scope"]) if kind == "stdio" else ())
    entry: McpEntry
    if kind == "stdio":
        entry = _program(shared, keys, values)
    else:
        entry = HttpEntry(
            **shared,
            url=values.address(keys["url"]),
            headers=_without_authorization(values.headers(keys.get("headers")), keys),
            kind=kind,
            oauth=_oauth(keys, values),
            mask=values.mask,
        )
    return entry, _overrides(entry.pack, keys)


def _program(shared: dict[str, Any], keys: Mapping[str, ConfigValue], values: "_Values") -> StdioEntry:
    return StdioEntry(
        **shared,
        command=values.text(keys["command"]),
        args=tuple(values.text(each, empty=True) for each in keys["args"].items()) if "args" in keys else (),
        env=values.named(keys.get("env"), _VARIABLE, "name of an environment variable"),
        cwd=values.text(keys["cwd"]) if "cwd" in keys else None,
        mask=values.mask,
    )


def _kind(node: ConfigValue, keys: Mapping[str, ConfigValue]) -> Kind:
    if ("command" in keys) == ("url" in keys):
        raise node.error("must have either command, for a process, or url, for a server over HTTP")
    kind: Kind = "stdio" if "command" in keys else "http"
    if "type" in keys:
        declared = _TYPES[keys["type"].one_of(tuple(_TYPES))]
        if (declared == "stdio") != (kind == "stdio"):
            raise keys["type"].error(f"does not fit the rest, which describes {kind}")
        kind = declared
    for key in _HTTP if kind == "stdio" else (*_STDIO, "memory"):
        if key in keys:
            raise keys[key].error("does not belong to this kind of server")
    return kind


def read_openapi(name: str, node: ConfigValue, context: ConfigContext) -> tuple[OpenApiEntry, tuple[Rule, ...]]:
    keys = node.keys("an OpenAPI document", OPENAPI_KEYS)
    if "openapi" not in keys:
        raise node.error("must have the key openapi, a file or an address")
    values = _Values(context)
    place = keys["openapi"]
    document = values.text(place)
    if "://" in document:
        values.address(place)
    else:
        file = context.folder / document
        if not file.is_file():
            raise place.error(f"is no file: {file}")
        document = str(file)
    entry = OpenApiEntry(
        **_shared(name, keys),
        document=document,
        base_url=values.address(keys["base_url"]) if "base_url" in keys else None,
        headers=values.headers(keys.get("headers")),
        mask=values.mask,
    )
    return entry, _overrides(entry.pack, keys)


class _Values:
    """Values with their references resolved; remembers which of them are secrets."""

    def __init__(self, context: ConfigContext, placeholders: Collection[str] = ()) -> None:
        self._context = context
        self._references = References(context.environ, placeholders)
        self._secrets: list[str] = []

    @property
    def mask(self) -> SecretMask:
        return SecretMask([*self._secrets, *self._references.found])

    def text(self, node: ConfigValue, *, empty: bool = False) -> str:
        return self._references.resolve(node, node.value_text() if empty else node.text())

    def address(self, node: ConfigValue) -> str:
        text = node.text()
        url = self._references.resolve(node, text)
        problem = _url_problem(url)
        if problem is not None:
            raise node.error(problem)
        parts = urlsplit(url)
        if parts.password is not None or parts.username is not None:
            raise node.error("must not hold a user or a password: put them into headers")
        if self._context.is_own(url):
            raise node.error("is this server's own address: it cannot be an upstream of itself")
        return url

    def headers(self, node: ConfigValue | None) -> dict[str, str]:
        headers = self.named(node, _HEADER, "name of a header")
        for name, value in headers.items():
            if node is not None and not (value.isascii() and value.isprintable()):
                raise node.at(name).error("must be printable ASCII on one line")
        return headers

    def named(self, node: ConfigValue | None, form: re.Pattern[str], what: str) -> dict[str, str]:
        if node is None:
            return {}
        values: dict[str, str] = {}
        for name, each in node.entries("names with their values").items():
            if not form.fullmatch(name):
                raise each.error(f"is not the {what}")
            values[name] = self.secret(name, each) if looks_secret(name) else self.text(each, empty=True)
        return values

    def secret(self, name: str, node: ConfigValue) -> str:
        text = node.value_text()
        if is_literal(text) and not self._context.is_private:
            raise node.error(
                f"holds a secret in a file that others can read: write ${{{name.upper().replace('-', '_')}}} and "
                "set that variable, or make the file yours alone with chmod 600"
            )
        value = self._references.resolve(node, text)
        self._secrets.append(value)
        return value


def _oauth(entry_keys: Mapping[str, ConfigValue], values: _Values) -> OAuthSettings | None:
    if "oauth" not in entry_keys:
        return None
    if "scope" in entry_keys and entry_keys["scope"].value == "shared":
        raise entry_keys["scope"].error("cannot be shared: with oauth each tenant has tokens of its own")
    node = entry_keys["oauth"]
    keys = node.keys("oauth", _OAUTH)
    if "client_secret" in keys and "client_id" not in keys:
        raise node.error("has a client_secret without a client_id")
    return OAuthSettings(
        client_id=values.text(keys["client_id"]) if "client_id" in keys else None,
        client_secret=values.secret("client_secret", keys["client_secret"]) if "client_secret" in keys else None,
        scopes=keys["scopes"].texts() if "scopes" in keys else (),
    )


def _without_authorization(headers: dict[str, str], keys: Mapping[str, ConfigValue]) -> dict[str, str]:
    if "oauth" in keys and any(name.lower() == "authorization" for name in headers):
        raise keys["oauth"].error("is given beside a header Authorization: only one of them can count")
    return headers


def _url_problem(url: str) -> str | None:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "must be an address such as https://host/path"
    if parts.scheme not in ("http", "https") or not host or not url.isascii() or not url.isprintable() or " " in url:
        return "must be an address such as https://host/path"
    reason = check_host(host)
    if reason is not None and literal(host) is None:
        return f"names a host that is {reason}"
    return None


def _shared(name: str, keys: Mapping[str, ConfigValue], scope: InstanceScope = "shared") -> dict[str, Any]:
    return {
        "name": name,
        "pack": keys["pack"].text() if "pack" in keys else name,
        "trust": _choice(keys, "trust", ("first-use", "full", "none")),
        "verify": _choice(keys, "verify", ("before", "parallel")),
        "sampling": _choice(keys, "sampling", ("deny", "allow")),
        "scope": keys["scope"].one_of(("shared", "tenant", "session")) if "scope" in keys else scope,
        "allow": keys["allow"].texts() if "allow" in keys else (),
        "deny": keys["deny"].texts() if "deny" in keys else (),
        "limits": _limits(keys),
    }


def _choice(keys: Mapping[str, ConfigValue], key: str, words: tuple[str, ...]) -> str:
    """The first word where the entry does not have the key."""
    return keys[key].one_of(words) if key in keys else words[0]


def _limits(keys: Mapping[str, ConfigValue]) -> ResourceLimits:
    read: Mapping[str, Callable[[ConfigValue], float]] = {
        "timeout": lambda node: node.seconds(0.05, 3600),
        "max_concurrency": lambda node: node.whole(1, 1024),
        "max_response_bytes": lambda node: node.size(1024, 256 * MIB),
        "memory": lambda node: node.size(64 * MIB, 1024 * 1024 * MIB),
        "idle_timeout": lambda node: node.seconds(0, 30 * 86_400),
        "max_instances": lambda node: node.whole(1, 10_000),
    }
    given: dict[str, Any] = {name: parse(keys[name]) for name, parse in read.items() if name in keys}
    return ResourceLimits(**given)


def _overrides(pack: str, keys: Mapping[str, ConfigValue]) -> tuple[Rule, ...]:
    """`layer_overrides` are rules of the operator for the tools of one pack."""
    if "layer_overrides" not in keys:
        return ()
    rules = []
    for action, node in keys["layer_overrides"].entries("tools with their layers").items():
        try:
            rules.append(parse_rule({"match": f"{escape_glob(pack)}.{action}", "layer": node.value}, ""))
        except ConfigError as error:
            raise node.error(error.message.removeprefix(".layer").removeprefix(": ").removesuffix(".")) from None
    return tuple(rules)


def escape_glob(text: str) -> str:
    return _GLOB.sub(r"[\1]", text)


def located_in(node: ConfigValue, error: ConfigError) -> ConfigError:
    """The error with its place in the file."""
    place = str(error.details.get("place", node.place))
    problem = error.message.removeprefix(f"{place}: ").removesuffix(".")
    return node.document.error(place, problem)


def check_unique(entries: Sequence[UpstreamEntry], node: ConfigValue) -> None:
    """Names and packs must be unique; the error is at the later of two."""
    for what in ("name", "pack"):
        seen: set[str] = set()
        for entry in entries:
            value = getattr(entry, what)
            if value in seen:
                place = f"{'openapi' if isinstance(entry, OpenApiEntry) else 'mcpServers'}.{entry.name}"
                problem = f"two upstreams have the {what} {value}; give one of them another"
                raise node.document.error(place, problem)
            seen.add(value)
