"""Facts about the store itself, by name."""

from typing import Final

from longtable.storage.database import Transaction

SEARCH_INDEX: Final = "search_index"
"""Documents of the search index are missing altogether. Names that begin with it tell more about the index."""
UNFINISHED_COPY: Final = "unfinished_copy"
"""How far `longtable migrate` has come in filling this store."""


async def get_fact(tx: Transaction, name: str) -> str | None:
    row = await tx.first("SELECT value FROM facts WHERE name = :name", name=name)
    return str(row["value"]) if row else None


async def set_fact(tx: Transaction, name: str, value: str) -> None:
    await tx.execute(
        """INSERT INTO facts (name, value) VALUES (:name, :value)
           ON CONFLICT (name) DO UPDATE SET value = excluded.value""",
        name=name,
        value=value,
    )


async def forget_fact(tx: Transaction, name: str) -> None:
    await tx.execute("DELETE FROM facts WHERE name = :name", name=name)
