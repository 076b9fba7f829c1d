"""Tokens named at start: `principal:token` entries, which come before those of a file that maps token to principal."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from longtable.kernel.errors import ConfigError
from longtable.settings.files import create_private, read_pairs

_OPTION = "auth_token_file"


class TokenEntry(NamedTuple):
    principal: str
    token: str

    def __repr__(self) -> str:
        return f"TokenEntry({self.principal!r}, '***')"


def parse_entry(text: str) -> TokenEntry:
    """Only the first colon splits: a token may contain more. Raises ValueError, without the text."""
    principal, _, token = (part.strip() for part in text.partition(":"))
    if not _is_usable(principal) or not _is_usable(token):
        raise ValueError("principal:token, neither of them empty")
    return TokenEntry(principal, token)


def drop_overridden(entries: Iterable[TokenEntry]) -> tuple[TokenEntry, ...]:
    """Later entries override earlier ones of the same principal or token; principals keep their first place."""
    chosen: dict[str, str] = {}
    for principal, token in entries:
        for other in [name for name, known in chosen.items() if known == token and name != principal]:
            del chosen[other]
        chosen[principal] = token
    return tuple(TokenEntry(principal, token) for principal, token in chosen.items())


def overlay(*layers: Iterable[TokenEntry]) -> tuple[TokenEntry, ...]:
    """The highest layer comes first and hides lower entries of the same principal or the same token."""
    merged: list[TokenEntry] = []
    for layer in layers:
        principals = {entry.principal for entry in merged}
        tokens = {entry.token for entry in merged}
        merged += [entry for entry in layer if entry.principal not in principals and entry.token not in tokens]
    return tuple(merged)


def merge_tokens(named: Iterable[TokenEntry], token_file: Path | None) -> dict[str, str]:
    """Token to principal, the named entries first. A missing file is created with the result; an existing one
    is never rewritten. Raises ConfigError, which never quotes a token."""
    if token_file is None:
        return _registry(named)
    if os.path.exists(token_file):
        return _registry(overlay(named, _read(token_file)))
    registry = _registry(named)
    create_private(token_file, registry, option=_OPTION)
    return registry


def _registry(entries: Iterable[TokenEntry]) -> dict[str, str]:
    return {entry.token: entry.principal for entry in entries}


def _read(path: Path) -> list[TokenEntry]:
    entries: list[TokenEntry] = []
    seen: set[str] = set()
    for position, (token, principal) in enumerate(read_pairs(path, option=_OPTION), start=1):
        if not isinstance(principal, str) or not _is_usable(principal.strip()) or not _is_usable(token.strip()):
            raise _bad_entry(path, position, 'must be "token": "principal", neither of them empty')
        if token.strip() in seen:
            raise _bad_entry(path, position, "repeats a token")
        seen.add(token.strip())
        entries.append(TokenEntry(principal.strip(), token.strip()))
    return entries


def _is_usable(text: str) -> bool:
    return bool(text) and text.isprintable()


def _bad_entry(path: Path, position: int, problem: str) -> ConfigError:
    return ConfigError(f"{_OPTION}: entry {position} of {path} {problem}.", option=_OPTION, value=str(path))
