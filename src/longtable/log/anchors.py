"""The anchor beside the store: the newest audit record of each tenant. It detects a store that lost its end."""

import asyncio
import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from longtable.kernel.clock import SECOND
from longtable.kernel.logs import logger
from longtable.log.chain import digest_text
from longtable.storage.database import SYSTEM, Database, Row, Transaction

SQLITE_ANCHOR: Final = "longtable.db.anchor"
ANCHORED_EVERY: Final = 5 * SECOND


@dataclass(frozen=True, slots=True)
class Anchor:
    seq: int
    digest: str


Anchors = Mapping[str, Anchor]


class AnchorFile:
    """A file in the data folder, outside of the store. It never goes back by itself: where a chain does not contain its
    anchor, the anchor stays until a person accepts the chain."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._written: Anchors = {}
        self._warned: set[str] = set()

    @classmethod
    def of(cls, data_dir: Path, store: str) -> "AnchorFile":
        """`store` is the option of that name; without its login it identifies stores that share a data folder."""
        if store == "sqlite":
            return cls(data_dir / SQLITE_ANCHOR)
        parts = urlsplit(store)
        place = "\0".join((parts.netloc.rpartition("@")[2], parts.path, parts.query))
        return cls(data_dir / f"postgresql-{hashlib.blake2b(place.encode(), digest_size=8).hexdigest()}.anchor")

    async def read(self) -> Anchors:
        return await asyncio.to_thread(self._read)

    async def advance(self, database: Database) -> None:
        """Moves every anchor to the end of its chain, where the chain contains it. Safe in many processes at once."""
        heads = await database.read(SYSTEM, _heads)
        if heads == self._written or not self.path.parent.is_dir():
            return
        anchors = dict(await self.read())
        for tenant, head in heads.items():
            known = anchors.get(tenant)
            if known == head:
                continue
            if known is None or await _contains(database, tenant, known):
                anchors[tenant] = head
            elif tenant not in self._warned:
                self._warned.add(tenant)
                logger.warning("audit_shorter_than_anchor", tenant=tenant, anchored=known.seq, found=head.seq)
        await self._save(anchors)
        self._written = heads

    async def accept(self, database: Database) -> None:
        """Accepts what the store holds now: it was restored from a backup."""
        heads = await database.read(SYSTEM, _heads)
        await self._save(heads)
        self._warned.clear()

    async def _save(self, anchors: Anchors) -> None:
        await asyncio.to_thread(self._write, anchors)

    def _read(self) -> Anchors:
        try:
            raw = json.loads(self.path.read_text("utf-8"))
            return {tenant: Anchor(int(each["seq"]), str(each["digest"])) for tenant, each in raw["tenants"].items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            logger.warning("audit_anchor_unreadable", error=type(error).__name__)
            return {}

    def _write(self, anchors: Anchors) -> None:
        tenants = {tenant: {"seq": each.seq, "digest": each.digest} for tenant, each in sorted(anchors.items())}
        unfinished = self.path.with_name(f"{self.path.name}.part-{os.getpid()}")
        try:
            fd = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(fd, "w", encoding="utf-8") as file:
                json.dump({"tenants": tenants}, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, self.path)
            _sync_folder(self.path.parent)
        except OSError as error:
            # The disk may be full: the anchor before this one still holds.
            logger.warning("audit_anchor_not_written", error=os.strerror(error.errno or 0))
            with contextlib.suppress(OSError):
                unfinished.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    # Not every system lets a folder be opened, and there a rename is kept without it.
    with contextlib.suppress(OSError):
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


async def _heads(tx: Transaction) -> dict[str, Anchor]:
    rows = await tx.all("SELECT tenant, seq, digest FROM audit_heads")
    return {str(row["tenant"]): Anchor(int(row["seq"]), digest_text(row["digest"])) for row in rows}


async def _contains(database: Database, tenant: str, anchor: Anchor) -> bool:
    async def body(tx: Transaction) -> Row | None:
        return await tx.first("SELECT digest FROM audit WHERE tenant = :tenant AND seq = :seq", seq=anchor.seq)

    row = await database.read(tenant, body)
    return row is not None and digest_text(row["digest"]) == anchor.digest
