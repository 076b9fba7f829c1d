"""Notifiers that stand in a file of the operator. They are rows like those that owners add, and follow the file."""

import base64
import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import Field, StringConstraints, ValidationError

from longtable.identity.model import tenant_problem
from longtable.kernel.call import Call
from longtable.kernel.caller import DEFAULT_TENANT, Caller, Role, Surface
from longtable.kernel.clock import SECOND
from longtable.kernel.errors import ConfigError, InvalidArgument
from longtable.kernel.logs import logger
from longtable.log.ledger import Ledger, Work
from longtable.notifiers import store
from longtable.notifiers.arguments import AddNotifier
from longtable.notifiers.bodies import SECRET_PREFIX
from longtable.notifiers.model import MAX_NOTIFIERS, FileFollowed, Notifier
from longtable.notifiers.sender import NoticeSender, check_target
from longtable.storage.database import SYSTEM
from longtable.toolkit.tool import Arguments

FOLLOWED_EVERY: Final = 2 * SECOND
_OPTION: Final = "notifiers_file"
_REFERENCE: Final = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}")
_LARGEST: Final = 1_000_000


class NotifierEntry(AddNotifier):
    """One of the file. A webhook brings its secret along: nobody could be shown one."""

    tenant: str = DEFAULT_TENANT
    secret: Annotated[str, StringConstraints(pattern=rf"^{SECRET_PREFIX}[A-Za-z0-9+/=]+$")] | None = None

    def check(self) -> None:
        """Raises InvalidArgument."""
        problem = tenant_problem(self.tenant)
        if problem is not None:
            raise InvalidArgument.at("tenant", problem)
        if (self.kind == "webhook") != (self.secret is not None):
            raise InvalidArgument.at("secret", "must be given for a webhook, and for nothing else")
        if self.secret is not None and not 24 <= _key_bytes(self.secret) <= 64:
            raise InvalidArgument.at("secret", f"must be {SECRET_PREFIX} and 24 to 64 bytes in base64")
        check_target(self.kind, self.to, allow_private=self.allow_private)


class _NotifiersFile(Arguments):
    notifiers: Annotated[list[NotifierEntry], Field(max_length=MAX_NOTIFIERS)]


def load_notifiers_file(path: Path) -> list[NotifierEntry]:
    """Raises ConfigError, which quotes nothing of the file."""
    try:
        if path.stat().st_size > _LARGEST:
            raise _unusable(path, "is too large")
        value = json.loads(path.read_text("utf-8"))
        entries = _NotifiersFile.model_validate(_resolved(value, os.environ, path)).notifiers
        for entry in entries:
            entry.check()
    except OSError as error:
        raise _unusable(path, f"cannot be read: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise _unusable(path, f"at {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    except ValueError as error:
        raise _unusable(path, "is not JSON in UTF-8") from error
    except InvalidArgument as error:
        raise _unusable(path, f"has a notifier that is refused: {error.message}") from None
    if len({(entry.tenant, entry.name) for entry in entries}) < len(entries):
        raise _unusable(path, "names a notifier twice")
    return entries


class FollowedFile:
    """Reads the file again when it has changed. A wrong one is a failure of the job, and the last right one counts."""

    def __init__(self, ledger: Ledger, sender: NoticeSender, path: Path | None) -> None:
        self._ledger = ledger
        self._sender = sender
        self._path = path
        self._seen: tuple[int, int] | None = None

    async def follow(self) -> None:
        if self._path is None:
            return
        try:
            stat = self._path.stat()
        except OSError as error:
            raise _unusable(self._path, f"cannot be read: {error.strerror}") from error
        seen = (stat.st_mtime_ns, stat.st_size)
        if seen == self._seen:
            return
        try:
            entries = load_notifiers_file(self._path)
        except ConfigError:
            # Told of once. What the store fails at is tried again.
            self._seen = seen
            raise
        tenants = {entry.tenant for entry in entries}
        tenants |= set(await self._ledger.database.read(SYSTEM, store.tenants_of_file))
        for tenant in sorted(tenants):
            await self._follow(tenant, {entry.name: entry for entry in entries if entry.tenant == tenant})
        self._seen = seen

    async def _follow(self, tenant: str, entries: Mapping[str, NotifierEntry]) -> None:
        rows = {row.name: row for row in await self._ledger.database.read(tenant, store.every)}
        gone = [row.name for row in rows.values() if row.source == "file" and row.name not in entries]
        changed = [entry for entry in entries.values() if self._is_new(tenant, rows.get(entry.name), entry)]
        if gone or changed:
            await self._write(tenant, gone, changed)

    async def _write(self, tenant: str, gone: Sequence[str], changed: Sequence[NotifierEntry]) -> None:
        names = [entry.name for entry in changed]

        async def body(work: Work) -> FileFollowed:
            for name in (*gone, *names):
                await store.remove(work.tx, name)
            for entry in changed:
                await store.insert(work.tx, await self._sender.new_notifier(work, entry, entry.secret, "file"))
            work.touched("notifiers", changed=names, removed=list(gone))
            return FileFollowed(changed=names, removed=list(gone))

        caller = Caller(tenant, Role.OWNER, "longtable", "system", Surface.CLI, None)
        await self._ledger.write(Call(caller, "follow_notifiers_file", "notifiers_file_read"), FileFollowed, body)

    def _is_new(self, tenant: str, row: Notifier | None, entry: NotifierEntry) -> bool:
        if row is None:
            return True
        if row.source == "added":
            logger.warning("notifier_of_file_left_out", tenant=tenant, notifier=entry.name, reason="an owner has one")
            return False
        known = (row.kind, row.events, row.allow_private, *self._sender.opened(tenant, row))
        return known != (entry.kind, tuple(dict.fromkeys(entry.events)), entry.allow_private, entry.to, entry.secret)


def _resolved(value: Any, environment: Mapping[str, str], path: Path) -> Any:
    """With the values of the environment variables that it refers to."""
    if isinstance(value, dict):
        return {key: _resolved(each, environment, path) for key, each in value.items()}
    if isinstance(value, list):
        return [_resolved(each, environment, path) for each in value]
    if not isinstance(value, str):
        return value

    def replace(match: re.Match[str]) -> str:
        if not environment.get(match[1]):
            raise _unusable(path, f"refers to the environment variable {match[1]}, which is not set")
        return environment[match[1]]

    return _REFERENCE.sub(replace, value)


def _key_bytes(secret: str) -> int:
    try:
        return len(base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True))
    except ValueError:
        return 0


def _unusable(path: Path, problem: str) -> ConfigError:
    return ConfigError(f"{_OPTION}: the file {path} {problem}.", option=_OPTION, value=str(path))
