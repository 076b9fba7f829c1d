"""One entry that was not read from the gateway file: checked like those of the file, and shown without its secrets."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from longtable.kernel import redact
from longtable.kernel.errors import ConfigError, InvalidArgument
from longtable.upstreams.addresses import is_loopback, literal
from longtable.upstreams.config import check_name, is_own_listener
from longtable.upstreams.config_text import ConfigDocument, ConfigValue
from longtable.upstreams.entries import ConfigContext, HttpEntry, McpEntry, OpenApiEntry, read_mcp, read_openapi
from longtable.upstreams.references import HIDDEN, has_reference, is_literal, looks_secret
from longtable.upstreams.safety import Destination, DestinationRefused

AnyEntry = McpEntry | OpenApiEntry

_HIDES: Mapping[str, Callable[[str], bool]] = {
    "env": lambda _: True,
    "headers": lambda _: True,
    "oauth": looks_secret,
}
"""Objects of an entry that may hold secrets, and under which names."""
_ADDRESSES = ("url", "openapi", "base_url")
_OPTION = re.compile(r"[\w.-]+")
_NAMED_VALUE = re.compile(r"(?:^|(?<=[=\s?&]))([\w.-]+)[:=](?=\s*\S)")
"""A header, as in `--header "X-Token: abc"`, or a parameter of an address."""
_USER = re.compile(r"://[^\s/@]*:[^\s/@]+@|https?://[^\s/@]+@")
_NOT_HERE = {
    "disabled": "belongs beside the entry: enabled is false",
    "layer_overrides": "belongs into the rules of the tenant",
}


class _ArgumentDocument(ConfigDocument):
    """Its errors name the key alone: there is no file."""

    def error(self, place: str, problem: str) -> ConfigError:
        return ConfigError(f"{place}: {problem}.", place=place)


def read_entry(
    name: str,
    entry: Mapping[str, Any],
    own: Sequence[tuple[str, int]],
    environ: Mapping[str, str],
) -> AnyEntry:
    """Its tools wait for a person, unless it names another `trust`. Raises ConfigError with the place of a mistake."""
    given = {key: value for key, value in entry.items() if value is not None}
    node = ConfigValue({"trust": "none", **given}, "entry", _ArgumentDocument("", {}))
    check_name(name, node)
    context = ConfigContext(
        folder=Path.cwd(),
        environ=environ,
        is_private=True,
        is_own=lambda url: is_own_listener(url, own),
    )
    for key, instead in _NOT_HERE.items():
        if key in given:
            raise node.at(key).error(instead)
    if "openapi" in given:
        return read_openapi(name, node, context)[0]
    read = read_mcp(name, node, context)
    assert read is not None
    return read[0]


def check_addresses(entry: AnyEntry, allowed_hosts: frozenset[str]) -> None:
    """Whether a connection may be made to where the entry leads, as far as that is known before its host is resolved.
    Raises ConfigError."""
    for key, url in _addresses(entry).items():
        try:
            Destination(urlsplit(url).hostname or "", allowed_hosts).check(url)
        except DestinationRefused as refused:
            place = f"entry.{key}"
            raise ConfigError(f"{place}: {refused}", place=place) from None


def _addresses(entry: AnyEntry) -> dict[str, str]:
    if isinstance(entry, HttpEntry):
        return {"url": entry.url}
    if not isinstance(entry, OpenApiEntry):
        return {}
    found = {"openapi": entry.document, "base_url": entry.base_url or ""}
    return {key: text for key, text in found.items() if "://" in text}


class AssumedEnvironment(dict[str, str]):
    """For an entry that is checked here and used by a server with another environment: all variables are set."""

    def get(self, key: str, default: Any = None) -> Any:
        return super().get(key) or key


def needs_operator(entry: Mapping[str, Any]) -> str | None:
    """Why only the operator of the machine may add such an entry, where owners may not run commands; None if it touches
    nothing of the machine."""
    if "command" in entry:
        return "it runs a program on the server"
    if any(has_reference(text) for text in _texts(entry)):
        return "it reads the environment of the server"
    if "openapi" in entry and "://" not in str(entry["openapi"]):
        return "it reads a file of the server"
    addresses = [str(entry[key]) for key in ("url", "openapi", "base_url") if key in entry]
    if any(_is_local(address) for address in addresses):
        return "it leads to the server's own machine"
    return None


def without_secrets(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The entry as people may see it. A value that is a reference is shown: it names a variable, not a secret."""
    shown = dict(entry)
    for key, hides in _HIDES.items():
        if isinstance(shown.get(key), Mapping):
            shown[key] = {name: _shown_value(text, hides(name)) for name, text in shown[key].items()}
    for key in _ADDRESSES:
        if "://" in str(shown.get(key)):
            shown[key] = _without_query(str(shown[key]))
    if isinstance(shown.get("args"), list):
        shown["args"] = _shown_arguments(shown["args"])
    return shown


def _shown_value(value: Any, hides: bool) -> Any:
    return HIDDEN if hides and is_literal(str(value)) else value


def with_kept_secrets(entry: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """A changed entry, with what it repeats as hidden taken from the one before. Raises InvalidArgument where a secret
    would go to another address or program than it was entered for."""
    kept = _with_kept_parts(entry, before)
    for key in _HIDES:
        if isinstance(kept.get(key), Mapping) and isinstance(before.get(key), Mapping):
            kept[key] = {
                name: before[key][name] if text == HIDDEN and name in before[key] else text
                for name, text in kept[key].items()
            }
    restored = _restored(entry, kept)
    if restored and _destination(kept) != _destination(before):
        problem = "was hidden, and the address or the program is another one now: enter it again"
        raise InvalidArgument.at(restored[0], problem)
    return kept


def _with_kept_parts(entry: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """With addresses and arguments of which a part was hidden."""
    shown, kept = without_secrets(before), dict(entry)
    for key in (*_ADDRESSES, "args"):
        if key in kept and key in before and kept[key] == shown[key]:
            kept[key] = before[key]
        if any(HIDDEN in text for text in _texts(kept.get(key))):
            raise InvalidArgument.at(f"entry.{key}", "has changed beside what was hidden: enter it again")
    return kept


def _restored(entry: Mapping[str, Any], kept: Mapping[str, Any]) -> list[str]:
    """The secrets that were hidden in one and are there in the other, by their places."""
    objects = {key: entry[key] for key in _HIDES if isinstance(entry.get(key), Mapping)}
    places = [f"entry.{key}.{name}" for key, each in objects.items() for name in each if each[name] != kept[key][name]]
    return places if kept.get("args") == entry.get("args") else [*places, "entry.args"]


def _destination(entry: Mapping[str, Any]) -> list[Any]:
    """The origins and the program that an entry leads to."""
    origins = [_origin(str(entry.get(key) or "")) for key in _ADDRESSES]
    return [*origins, *(entry.get(key) or None for key in ("command", "args", "cwd"))]


def _origin(address: str) -> str:
    """A file, and an address with a reference, is only the same when all of it is."""
    if "://" not in address or has_reference(address):
        return address
    try:
        parts = urlsplit(address)
    except ValueError:
        return address
    return f"{parts.scheme}://{parts.netloc}".lower()


def _shown_arguments(arguments: Sequence[Any]) -> list[Any]:
    """Without the values of flags whose names look like those of secrets, --token X and --token=X, and without what
    holds a secret wherever it stands."""
    shown: list[Any] = []
    hides_next = False
    for each in arguments:
        text = str(each)
        flag, equals, _ = text.partition("=")
        shown.append(each if not is_literal(text) else HIDDEN if hides_next else _shown_argument(text))
        hides_next = not equals and text.startswith("-") and looks_secret(flag)
    return shown


def _shown_argument(text: str) -> str:
    flag, equals, _ = text.partition("=")
    if equals and looks_secret(flag) and _OPTION.fullmatch(flag):
        return f"{flag}={HIDDEN}"
    names = [match[1] for match in _NAMED_VALUE.finditer(text)]
    holds_secret = _USER.search(text) or any(map(looks_secret, names)) or redact.without_secrets(text) != text
    return HIDDEN if holds_secret else text


def _without_query(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query=HIDDEN if parts.query else "", fragment=""))


def _is_local(address: str) -> bool:
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return True
    found = literal(host)
    return host.rstrip(".").lower().endswith("localhost") if found is None else is_loopback(found)


def _texts(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [text for each in value.values() for text in _texts(each)]
    if isinstance(value, list):
        return [text for each in value for text in _texts(each)]
    return [value] if isinstance(value, str) else []
