"""Reads flags, environment and file, lays them over the defaults, and checks the whole."""

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longtable.kernel.errors import ConfigError
from longtable.settings.checks import check_auth, check_bind, check_paths
from longtable.settings.declare import PREFIX, Option
from longtable.settings.files import create_private, read_pairs
from longtable.settings.options import BY_NAME, OPTIONS, Settings

Flags = Mapping[str, str | list[str] | None]
"""Values of the command line, by name of the option; None is the same as absent."""

_CONFIG_FILE = BY_NAME["config_file"]
_FOR_TESTS = f"{PREFIX}TEST_"
"""Variables of the test suite; never a misspelt option."""
_OF_COMMANDS = ("LONGTABLE_BACKUP_PASSPHRASE", "LONGTABLE_MIGRATE_TO")
"""Secrets for one command each, which are no options of a server."""
_OF_HOOKS = frozenset(f"{PREFIX}{name}" for name in ("GUARD", "HOOK", "URL"))
"""Read by the hooks of a git repository and of a client alone."""


@dataclass(frozen=True)
class Loaded:
    settings: Settings
    sources: Mapping[str, str]
    """Per option: default, file, environment or flag; joined by a comma where several add to each other."""
    unknown_environment: tuple[str, ...] = ()
    created_file: Path | None = None
    left_out: tuple[str, ...] = ()
    """Options with secrets that were not written into the created file."""


@dataclass(frozen=True)
class _OptionLayer:
    source: str
    values: Mapping[str, object]
    place: Callable[[Option], str]


def load(flags: Flags, environment: Mapping[str, str]) -> Loaded:
    """For a process that listens. Raises ConfigError that names option, source, value and what is allowed."""
    return _load(flags, environment, (check_paths, check_auth, check_bind))


def load_unbound(flags: Flags, environment: Mapping[str, str]) -> Loaded:
    """The same without the check of the address: for a process that opens no port, and for one that reads from the
    store first whether auth is on."""
    return _load(flags, environment, (check_paths, check_auth))


def suggestion(word: str, known: Iterable[str]) -> str:
    """A sentence to put behind "unknown": the name that was probably meant, or nothing."""
    from difflib import get_close_matches

    matches = get_close_matches(word, list(known), n=1)
    return f"Did you mean {matches[0]}?" if matches else ""


def _load(flags: Flags, environment: Mapping[str, str], checks: Sequence[Callable[[Settings], None]]) -> Loaded:
    layers = [_flag_layer(flags), _environment_layer(environment)]
    path = _config_path(layers)
    # os.path answers False where Path.exists raises; creating the file then names the cause.
    missing_file = path if path is not None and not os.path.exists(path) else None
    if path is not None and missing_file is None:
        layers.append(_file_layer(path))
    settings, sources = _merge(layers)
    for check in checks:
        check(settings)
    left_out = _create(missing_file, settings) if missing_file else ()
    return Loaded(settings, sources, _unknown(environment), missing_file, left_out)


def _flag_layer(flags: Flags) -> _OptionLayer:
    found = {name: value for name, value in flags.items() if value is not None}
    return _OptionLayer("flag", found, lambda option: f"flag {option.flag}")


def _environment_layer(environment: Mapping[str, str]) -> _OptionLayer:
    found = {
        option.name: environment[option.environment] for option in OPTIONS if _is_set(option.environment, environment)
    }
    return _OptionLayer("environment", found, lambda option: f"environment variable {option.environment}")


def _is_set(variable: str, environment: Mapping[str, str]) -> bool:
    """An empty variable counts only with our own prefix: configurations of other programs list theirs empty."""
    return bool(environment.get(variable)) or (variable in environment and variable.startswith(PREFIX))


def _config_path(layers: Sequence[_OptionLayer]) -> Path | None:
    found = [_parse(_CONFIG_FILE, layer) for layer in layers if _CONFIG_FILE.name in layer.values]
    return found[0] if found else None


def _file_layer(path: Path) -> _OptionLayer:
    known = [option.key for option in OPTIONS if option.key is not None]
    found: dict[str, object] = {}
    for key, value in read_pairs(path, option=_CONFIG_FILE.name):
        if key in found:
            raise ConfigError(f"{key}: stands twice in the file {path}.", option=key)
        if key not in known:
            raise _unknown_key(key, path, known)
        found[key] = value
    # null stands for "not set", so that a created file can list every option.
    present = {key: value for key, value in found.items() if value is not None}
    return _OptionLayer("file", present, lambda option: f"key {option.key} of the file {path}")


def _unknown_key(key: str, path: Path, known: list[str]) -> ConfigError:
    if key in BY_NAME:
        ways = [way for way in (BY_NAME[key].flag, BY_NAME[key].environment) if way]
        return ConfigError(f"{key}: cannot be set in the file {path}.", hint=f"Use {' or '.join(ways)}.", option=key)
    hint = suggestion(key, known) or "`longtable config` lists the options."
    return ConfigError(f"{key}: unknown key in the file {path}.", hint=hint, option=key)


def _merge(layers: Sequence[_OptionLayer]) -> tuple[Settings, dict[str, str]]:
    values: dict[str, Any] = {}
    sources = {option.name: "default" for option in OPTIONS}
    for option in OPTIONS:
        found = [(layer.source, _parse(option, layer)) for layer in layers if option.name in layer.values]
        if found:
            values[option.name] = option.kind.combine([value for _, value in found])
            counting = found if option.kind.overlays else found[:1]
            sources[option.name] = ", ".join(source for source, _ in counting)
    return Settings(**values), sources


def _parse(option: Option, layer: _OptionLayer) -> Any:
    raw = layer.values[option.name]
    try:
        return option.kind.parse(raw)
    except ValueError as error:
        value = "***" if option.kind.secret else json.dumps(raw)
        raise ConfigError(
            f"{option.name}: the value {value} of the {layer.place(option)} is not allowed.",
            hint=f"Allowed: {option.kind.allowed}.",
            option=option.name,
            source=layer.source,
            value=value,
            allowed=option.kind.allowed,
        ) from (None if option.kind.secret else error)


def _unknown(environment: Mapping[str, str]) -> tuple[str, ...]:
    known = {*_OF_HOOKS, *_OF_COMMANDS, *(option.environment for option in OPTIONS)}
    unknown = (name for name in environment if name.startswith(PREFIX) and name not in known)
    return tuple(sorted(name for name in unknown if not name.startswith(_FOR_TESTS)))


def _create(path: Path, settings: Settings) -> tuple[str, ...]:
    content: dict[str, Any] = {}
    left_out = []
    for option in OPTIONS:
        if option.key is None:
            continue
        value = getattr(settings, option.name)
        if option.hides(value):
            left_out.append(option.name)
            value = None
        content[option.key] = option.dump(value)
    create_private(path, content, option=_CONFIG_FILE.name)
    return tuple(left_out)
