"""`longtable guard check`, which git calls before every commit: refuses one that touches what others have reserved."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from http.client import HTTPException
from pathlib import Path
from typing import Any, NamedTuple, NoReturn
from urllib.error import HTTPError
from urllib.request import Request

from longtable.cli.guard_repository import GuardOptions, Repository
from longtable.cli.plain_http import opener
from longtable.kernel.errors import LongtableError, UpstreamError
from longtable.reservations.paths import PathPattern, means, pattern

SECONDS = 5.0
_OFF = ("off", "0", "no", "false")
_SHOWN = 10
_WAY_OUT = "LONGTABLE_GUARD=off git commit ..., or git commit --no-verify, goes past this check."


class HeldFiles(NamedTuple):
    """A reservation as the server tells of it."""

    path: str
    agent: str
    mode: str
    expires_at: str
    reason: str = ""
    mine: bool = False

    @property
    def pattern(self) -> PathPattern:
        return pattern(self.path)


def run() -> NoReturn:
    """Exits with 1 for a commit that must not be made, else with 0."""
    if os.environ.get("LONGTABLE_GUARD", "").lower() in _OFF:
        raise SystemExit(0)
    try:
        repository = Repository.here()
    except LongtableError as error:
        raise SystemExit(_unchecked(error, strict=False)) from error
    raise SystemExit(_check(repository))


def _check(repository: Repository) -> int:
    options = repository.options(os.environ)
    if options.url is None:
        return 0
    try:
        files = repository.touched()
        held = reservations(options, os.environ) if files else []
    except LongtableError as error:
        return _unchecked(error, strict=options.strict)
    taken = _taken(files, held)
    if not taken:
        return 0
    _say(_refusal(taken, options))
    return 1


def reservations(options: GuardOptions, environment: Mapping[str, str]) -> list[HeldFiles]:
    """What is reserved in the session. Raises UpstreamError where the server does not tell."""
    request = Request(f"{(options.url or '').rstrip('/')}/reservations", headers=_headers(options, environment))  # noqa: S310 - `install` takes http and https alone
    try:
        with opener(request.host).open(request, timeout=SECONDS) as response:
            return [HeldFiles(**each) for each in json.load(response)["reservations"]]
    except HTTPError as refused:
        raise UpstreamError(f"{options.url} says {_words_of(refused)}") from refused
    except (OSError, HTTPException, ValueError, KeyError, TypeError) as problem:
        raise UpstreamError(f"no Longtable server answers at {options.url}") from problem


def _headers(options: GuardOptions, environment: Mapping[str, str]) -> dict[str, str]:
    token = environment.get("LONGTABLE_TOKEN") or _token_in(options.token_file)
    headers = {
        "Accept": "application/json",
        "Authorization": token and f"Bearer {token}",
        "X-Caller-Agent": options.agent,
        "X-Session-ID": options.session,
    }
    return {name: value for name, value in headers.items() if value}


def _token_in(file: str | None) -> str | None:
    if file is None:
        return None
    try:
        return Path(file).read_text("utf-8").strip()
    except (OSError, ValueError) as error:
        raise UpstreamError(f"the token cannot be read from {file}") from error


def _words_of(refused: Any) -> str:
    try:
        error = json.load(refused)["error"]
        return f"{error['code']}: {error['error']}"
    except (OSError, ValueError, KeyError, TypeError):
        return f"{refused.code}"


def _taken(files: Sequence[str], held: Sequence[HeldFiles]) -> list[tuple[HeldFiles, list[str]]]:
    """The reservations of others that are in the way, each with the files of this commit that it means."""
    others = [each for each in held if each.mode == "exclusive" and not each.mine]
    taken = [(each, [file for file in files if means(each.pattern, file)]) for each in others]
    return [(each, meant) for each, meant in taken if meant]


def _refusal(taken: Sequence[tuple[HeldFiles, list[str]]], options: GuardOptions) -> str:
    lines = ["longtable guard: this commit touches files that another agent has reserved."]
    for each, files in taken:
        reason = f": {each.reason}" if each.reason else ""
        lines.append(f"  {each.agent} holds {each.path} until {each.expires_at}{reason}")
        lines += [f"    {file}" for file in files[:_SHOWN]]
        if len(files) > _SHOWN:
            lines.append(f"    and {len(files) - _SHOWN} more")
    holders = " or ".join(sorted({each.agent for each, _ in taken}))
    lines.append(f"Leave them out (git restore --staged FILE), wait, or ask {holders} to release them.")
    if options.agent is None:
        lines.append("If that is you: set LONGTABLE_AGENT, or git config longtable.agent NAME.")
    return "\n".join([*lines, _WAY_OUT])


def _unchecked(error: LongtableError, *, strict: bool) -> int:
    outcome = f"The commit is refused, as the guard is strict. {_WAY_OUT}" if strict else "The commit passes."
    _say(f"longtable guard: reservations were not checked: {error.message.rstrip('.')}. {outcome}")
    return 1 if strict else 0


def _say(text: str) -> None:
    """Agents write much of it: a control character must not reach the terminal."""
    shown = "".join(character if character.isprintable() or character == "\n" else "\ufffd" for character in text)
    sys.stderr.buffer.write(shown.encode("utf-8", "replace") + b"\n")
    sys.stderr.flush()
