"""Entries of upstreams that were added at run time, as they are stored: one that holds typed secrets is encrypted."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from longtable.gateway import upstream_store
from longtable.gateway.token_cipher import TokenCipher
from longtable.gateway.upstream_store import AddedUpstream
from longtable.storage.database import Transaction
from longtable.upstreams.entry_value import without_secrets

_SEALED: Final = "sealed"
_KIND: Final = "entry"
UNREADABLE: Final = "The key with which its entry was encrypted is another one, or gone. Enter it again."


class SealedEntries:
    """Of one tenant. Rows from before they were encrypted are read as well."""

    def __init__(self, cipher: TokenCipher, tenant: str) -> None:
        self._cipher = cipher
        self._tenant = tenant

    async def every(self, tx: Transaction) -> list[AddedUpstream]:
        return [self.opened(row) for row in await upstream_store.every(tx)]

    async def find(self, tx: Transaction, name: str) -> AddedUpstream | None:
        row = await upstream_store.find(tx, name)
        return None if row is None else self.opened(row)

    async def put(self, tx: Transaction, row: AddedUpstream) -> None:
        await upstream_store.put(tx, replace(row, entry=self._stored(row)))

    def opened(self, row: AddedUpstream) -> AddedUpstream:
        sealed = row.entry.get(_SEALED)
        if not isinstance(sealed, str):
            return row
        text = self._cipher.decrypt(sealed, self._tenant, _KIND, row.name)
        return replace(row, entry={}, is_readable=False) if text is None else replace(row, entry=json.loads(text))

    def _stored(self, row: AddedUpstream) -> Mapping[str, Any]:
        if not row.is_readable or without_secrets(row.entry) == row.entry:
            return row.entry
        return {_SEALED: self._cipher.encrypt(json.dumps(row.entry, ensure_ascii=False), self._tenant, _KIND, row.name)}
