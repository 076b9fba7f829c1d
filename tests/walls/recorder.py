"""Watches the statements that stores run: a new one is checked once, by the end of the test that ran it first."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from longtable.storage.database import SYSTEM, Dialect
from longtable.storage.postgres_transaction import PostgresTransaction
from longtable.storage.sqlite_transaction import SqliteTransaction
from tests.walls.system_statements import SYSTEM_STATEMENTS
from tests.walls.tenant_check import faults, names_tenant_table

_OWN = {
    "longtable.storage.sqlite_transaction",
    "longtable.storage.postgres_transaction",
    "longtable.storage.postgres_side_by_side",
    "tests.walls.mutants",
    __name__,
}


@dataclass(frozen=True)
class Ran:
    """`function` is the one that ran it, from the package on."""

    dialect: Dialect
    sql: str
    is_system: bool
    function: str

    def faults(self) -> list[str]:
        if self.is_system and (self.function in SYSTEM_STATEMENTS or not names_tenant_table(self.sql)):
            return []
        return faults(self.sql, self.dialect)


_known: set[tuple[Dialect, str, bool]] = set()
_unchecked: list[Ran] = []


def check_new_statements() -> None:
    """Raises AssertionError with what is wrong with the statements that were run since the last time."""
    new = list(_unchecked)
    _unchecked.clear()
    found = [(ran, ran.faults()) for ran in new]
    wrong = [f"{ran.function}: {', '.join(problems)}\n{ran.sql}" for ran, problems in found if problems]
    assert not wrong, "these statements reach beyond their tenant:\n" + "\n".join(wrong)


def name_of(module: str, qualified: str) -> str:
    return f"{module.removeprefix('longtable.')}.{qualified.replace('<locals>.', '')}"


def _note(tx: Any, sql: str) -> None:
    key = (tx.dialect, sql, tx.scope == SYSTEM)
    if key in _known:
        return
    _known.add(key)
    function = running_function(3)
    # Tests have statements of their own, wrong ones too. Those that a lambda hands over are run by the store itself;
    # the same of ours are read from the source.
    if not function.startswith(("tests.", "storage.")):
        _unchecked.append(Ran(*key, function))


def running_function(depth: int) -> str:
    """The function that asked a transaction to run a statement, seen from `depth` calls below it or more."""
    frame = sys._getframe(depth)
    while frame.f_back is not None and frame.f_globals["__name__"] in _OWN:
        frame = frame.f_back
    return name_of(frame.f_globals["__name__"], frame.f_code.co_qualname)


def unwatched(method: Callable[..., Any]) -> Callable[..., Any]:
    original: Callable[..., Any] = getattr(method, "original", method)
    return original


def _watched(method: Callable[..., Any]) -> Callable[..., Any]:
    def watched(self: Any, sql: str, *rest: Any, **more: Any) -> Any:
        _note(self, sql)
        return method(self, sql, *rest, **more)

    watched.original = method  # type: ignore[attr-defined]  # functions have room for it
    return watched


def watch() -> None:
    """From now on, in this process."""
    if hasattr(SqliteTransaction._run, "original"):
        return
    for kind, names in ((SqliteTransaction, ("_run", "execute_many")), (PostgresTransaction, ("_prepare",))):
        for name in names:
            setattr(kind, name, _watched(getattr(kind, name)))
