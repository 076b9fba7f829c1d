"""SQL for scratchpads in use and their tags."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longtable.notebooks.model import Scratchpad, Tags, Traits
from longtable.storage import counters
from longtable.storage.database import Row, Transaction

PADS, CELLS = "scratchpads", "cells"
"""Counters of the whole tenant; what is in the trash does not count."""

_COLUMNS = """pad, scratch_id, title, description, summary, namespace, tags, metadata, pinned, version, cell_count,
    schema_count, created_at, updated_at"""


_LISTED = "SELECT scratch_id, title, description, namespace, cell_count FROM scratchpads"
_FEW = 200


@dataclass(frozen=True, slots=True)
class PadFilter:
    """An empty tuple stands for no restriction; `after` is the id that the page before ended with."""

    namespaces: Tags = ()
    tags: Tags = ()
    after: str = ""
    limit: int = 100


async def next_pad(tx: Transaction) -> int:
    return await counters.advance(tx, counters.TENANT_WIDE, "scratchpad")


async def count(tx: Transaction, pads: int, cells: int) -> None:
    """So many more scratchpads and cells are in use."""
    if cells:
        await count_cells(tx, cells)
    await counters.step(tx, counters.TENANT_WIDE, PADS, pads)


async def count_cells(tx: Transaction, cells: int) -> None:
    await counters.step(tx, counters.TENANT_WIDE, CELLS, cells)


async def in_use(tx: Transaction) -> int:
    return await counters.current(tx, counters.TENANT_WIDE, PADS)


async def insert(tx: Transaction, pad: Scratchpad) -> None:
    await tx.execute(
        f"""INSERT INTO scratchpads (tenant, {_COLUMNS}, accessed_at, indexed)
            VALUES (:tenant, :pad, :scratch_id, :title, :description, :summary, :namespace, :tags, :metadata, :pinned,
                :version, :cell_count, :schema_count, :created_at, :updated_at, :updated_at, 1)""",
        pad=pad.pad,
        scratch_id=pad.scratch_id,
        version=pad.version,
        cell_count=pad.cell_count,
        schema_count=pad.schema_count,
        created_at=pad.created_at,
        updated_at=pad.updated_at,
        **_traits(pad.traits),
    )
    await set_own_tags(tx, pad.pad, pad.traits.tags)


async def update(tx: Transaction, pad: Scratchpad) -> None:
    await tx.execute(
        """UPDATE scratchpads SET title = :title, description = :description, summary = :summary,
               namespace = :namespace, tags = :tags, metadata = :metadata, pinned = :pinned, version = :version,
               cell_count = :cell_count, schema_count = :schema_count, updated_at = :updated_at,
               accessed_at = :updated_at
           WHERE tenant = :tenant AND pad = :pad""",
        pad=pad.pad,
        version=pad.version,
        cell_count=pad.cell_count,
        schema_count=pad.schema_count,
        updated_at=pad.updated_at,
        **_traits(pad.traits),
    )


async def advance(tx: Transaction, pad: int, now: int, cells: int = 0, schemas: int = 0) -> None:
    """A new version, with so many more cells and schemas; the traits stay."""
    await tx.enqueue(
        """UPDATE scratchpads SET version = version + 1, cell_count = cell_count + :cells,
               schema_count = schema_count + :schemas, updated_at = :now, accessed_at = :now
           WHERE tenant = :tenant AND pad = :pad""",
        pad=pad,
        cells=cells,
        schemas=schemas,
        now=now,
    )


async def find(tx: Transaction, scratch_id: str) -> Scratchpad | None:
    row = await tx.first(
        f"""SELECT {_COLUMNS} FROM scratchpads
            WHERE tenant = :tenant AND scratch_id = :scratch_id AND trashed_at IS NULL""",
        scratch_id=scratch_id,
    )
    return scratchpad(row) if row else None


async def all_in(tx: Transaction, namespace: str) -> list[Scratchpad]:
    rows = await tx.all(
        f"""SELECT {_COLUMNS} FROM scratchpads
            WHERE tenant = :tenant AND namespace = :namespace AND trashed_at IS NULL ORDER BY scratch_id""",
        namespace=namespace,
    )
    return [scratchpad(row) for row in rows]


async def page(tx: Transaction, query: PadFilter) -> list[Row]:
    """In the order of their ids, with the filters inside the query."""
    parameters: dict[str, Any] = {"after": query.after}
    conditions = ["tenant = :tenant", "trashed_at IS NULL", "scratch_id > :after"]
    if query.namespaces:
        names = _bound(parameters, "namespace", query.namespaces)
        conditions.append(f"namespace IN ({names})")
    few = await _few_tagged(tx, query.tags) if query.tags else None
    if few is not None:
        return await _sorted_page(tx, query, conditions, parameters, few)
    if query.tags:
        names = _bound(parameters, "tag", query.tags)
        conditions.append(
            _any(
                f"""FROM scratchpad_tags
                    WHERE scratchpad_tags.tenant = :tenant AND scratchpad_tags.pad = scratchpads.pad
                      AND tagged IN ('cell', 'pad') AND tag IN ({names})"""
            )
        )
    return await tx.all(
        f"{_LISTED} WHERE {' AND '.join(conditions)} ORDER BY scratch_id LIMIT :limit", limit=query.limit, **parameters
    )


async def _few_tagged(tx: Transaction, tags: Tags) -> list[int] | None:
    """The scratchpads that have any of the tags, the trash included; None when there are many. A rare tag is looked up
    in the index, a common one while walking along the ids; the other way round, either would read everything."""
    parameters: dict[str, Any] = {}
    names = _bound(parameters, "tag", tags)
    rows = await tx.all(
        f"""SELECT pad FROM scratchpad_tags WHERE tenant = :tenant AND tagged IN ('cell', 'pad') AND tag IN ({names})
            LIMIT :limit""",
        limit=_FEW + 1,
        **parameters,
    )
    return None if len(rows) > _FEW else sorted({row["pad"] for row in rows})


async def _sorted_page(
    tx: Transaction, query: PadFilter, conditions: list[str], parameters: dict[str, Any], pads: list[int]
) -> list[Row]:
    if not pads:
        return []
    names = _bound(parameters, "pad", pads)
    rows = await tx.all(f"{_LISTED} WHERE {' AND '.join(conditions)} AND pad IN ({names})", **parameters)
    return sorted(rows, key=lambda row: str(row["scratch_id"]))[: query.limit]


async def set_own_tags(tx: Transaction, pad: int, tags: Tags) -> None:
    await tx.execute("DELETE FROM scratchpad_tags WHERE tenant = :tenant AND pad = :pad AND tagged = 'pad'", pad=pad)
    if tags:
        await tx.execute_many(
            "INSERT INTO scratchpad_tags (tenant, pad, tagged, tag, uses) VALUES (:tenant, :pad, 'pad', :tag, 1)",
            [{"pad": pad, "tag": tag} for tag in tags],
        )


async def change_cell_tags(tx: Transaction, pad: int, removed: Sequence[str], added: Sequence[str]) -> None:
    steps = {tag: added.count(tag) - removed.count(tag) for tag in {*removed, *added}}
    rows: list[dict[str, Any]] = [{"pad": pad, "tag": tag, "by": by} for tag, by in steps.items() if by]
    if not rows:
        return
    await tx.execute_many(
        """INSERT INTO scratchpad_tags (tenant, pad, tagged, tag, uses) VALUES (:tenant, :pad, 'cell', :tag, :by)
           ON CONFLICT (tenant, pad, tagged, tag) DO UPDATE SET uses = scratchpad_tags.uses + excluded.uses""",
        rows,
    )
    if any(row["by"] < 0 for row in rows):
        await tx.execute(
            "DELETE FROM scratchpad_tags WHERE tenant = :tenant AND pad = :pad AND tagged = 'cell' AND uses <= 0",
            pad=pad,
        )


async def cell_tags(tx: Transaction, pad: int) -> list[str]:
    rows = await tx.all(
        "SELECT tag FROM scratchpad_tags WHERE tenant = :tenant AND pad = :pad AND tagged = 'cell'", pad=pad
    )
    return sorted(row["tag"] for row in rows)


async def all_tags(tx: Transaction, tagged: str, namespaces: Tags) -> list[str]:
    """The tags in use, once each. Steps from tag to tag through the index, however many scratchpads have one."""
    parameters: dict[str, Any] = {"tagged": tagged}
    inside = f"AND namespace IN ({_bound(parameters, 'namespace', namespaces)})" if namespaces else ""
    step = "(SELECT tag FROM scratchpad_tags WHERE tenant = :tenant AND tagged = :tagged {beyond} ORDER BY tag LIMIT 1)"
    living = _any(
        f"""FROM scratchpads WHERE scratchpads.tenant = :tenant AND scratchpads.pad = scratchpad_tags.pad
              AND trashed_at IS NULL {inside}"""
    )
    used = _any(
        f"""FROM scratchpad_tags WHERE scratchpad_tags.tenant = :tenant AND tagged = :tagged
              AND scratchpad_tags.tag = known.tag AND {living}"""
    )
    rows = await tx.all(
        f"""WITH RECURSIVE known(tag) AS (
                SELECT {step.format(beyond="")}
                UNION ALL
                SELECT {step.format(beyond="AND scratchpad_tags.tag > known.tag")} FROM known WHERE tag IS NOT NULL
            )
            SELECT tag FROM known WHERE tag IS NOT NULL AND {used}""",
        **parameters,
    )
    return sorted(row["tag"] for row in rows)


async def touch(tx: Transaction, touched: Mapping[int, int]) -> None:
    """Stores when scratchpads were used; an earlier time changes nothing."""
    if touched:
        await tx.execute_many(
            """UPDATE scratchpads SET accessed_at = :moment
               WHERE tenant = :tenant AND pad = :pad AND accessed_at < :moment""",
            [{"pad": pad, "moment": moment} for pad, moment in touched.items()],
        )


async def longest_unused(tx: Transaction, limit: int) -> list[Scratchpad]:
    """The least recently read or written, of equal ones the older. Never one that is pinned."""
    rows = await tx.all(
        f"""SELECT {_COLUMNS} FROM scratchpads
            WHERE tenant = :tenant AND trashed_at IS NULL AND pinned = 0
            ORDER BY accessed_at, created_at, pad LIMIT :limit""",
        limit=limit,
    )
    return [scratchpad(row) for row in rows]


async def unused_since(tx: Transaction, moment: int, limit: int) -> list[Scratchpad]:
    rows = await tx.all(
        f"""SELECT {_COLUMNS} FROM scratchpads
            WHERE tenant = :tenant AND trashed_at IS NULL AND pinned = 0 AND accessed_at < :moment
            ORDER BY accessed_at, created_at, pad LIMIT :limit""",
        moment=moment,
        limit=limit,
    )
    return [scratchpad(row) for row in rows]


async def tenants_with_scratchpads(tx: Transaction) -> list[str]:
    """In SYSTEM scope."""
    rows = await tx.all("SELECT tenant FROM counters WHERE scope = '' AND name = :name AND value > 0", name=PADS)
    return [row["tenant"] for row in rows]


async def totals(tx: Transaction) -> tuple[int, int]:
    """Scratchpads and cells in use, of all tenants. In SYSTEM scope."""
    rows = await tx.all("SELECT name, SUM(value) AS total FROM counters WHERE scope = '' GROUP BY name")
    sums = {row["name"]: int(row["total"]) for row in rows}
    return sums.get(PADS, 0), sums.get(CELLS, 0)


def scratchpad(row: Row) -> Scratchpad:
    traits = Traits(
        title=row["title"],
        description=row["description"],
        summary=row["summary"],
        namespace=row["namespace"],
        tags=tuple(json.loads(row["tags"])),
        pinned=bool(row["pinned"]),
        others=json.loads(row["metadata"]),
    )
    return Scratchpad(
        pad=row["pad"],
        scratch_id=row["scratch_id"],
        traits=traits,
        version=row["version"],
        cell_count=row["cell_count"],
        schema_count=row["schema_count"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


def _traits(traits: Traits) -> dict[str, Any]:
    return {
        "title": traits.title,
        "description": traits.description,
        "summary": traits.summary,
        "namespace": traits.namespace,
        "tags": json.dumps(traits.tags, ensure_ascii=False),
        "metadata": json.dumps(traits.others, ensure_ascii=False),
        "pinned": int(traits.pinned),
    }


def _any(rows: str) -> str:
    """Whether there is a row. PostgreSQL turns EXISTS into a join that reads all of them; this stops at one."""
    return f"(SELECT 1 {rows} LIMIT 1) IS NOT NULL"


def _bound(parameters: dict[str, Any], name: str, values: Sequence[str | int]) -> str:
    """Binds each value under a name of its own. Returns the names as SQL."""
    parameters |= {f"{name}_{position}": value for position, value in enumerate(values)}
    return ", ".join(f":{name}_{position}" for position, _ in enumerate(values))
