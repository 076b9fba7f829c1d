"""Whether a statement can reach the rows of one tenant only, as far as its text tells."""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from longtable.storage.database import Dialect
from longtable.storage.migrate import MIGRATIONS, Migrations, define_functions

_BLOCKS = (exp.Select, exp.Update, exp.Delete, exp.Insert)


class NotSql(Exception):
    """The text is no statement of this dialect."""


@cache
def tenant_tables() -> frozenset[str]:
    """The tables that have a column for the tenant; they are the same on both engines."""
    with closing(sqlite3.connect(":memory:")) as connection:
        define_functions(connection)
        for migration in Migrations(MIGRATIONS, "sqlite").after(0):
            connection.executescript(migration.script)
        found = connection.execute(
            """SELECT name FROM sqlite_master WHERE type = 'table'
               AND EXISTS (SELECT 1 FROM pragma_table_info(sqlite_master.name) WHERE name = 'tenant')"""
        )
        return frozenset(name for (name,) in found)


def names_tenant_table(sql: str) -> bool:
    return not tenant_tables().isdisjoint(re.findall(r"\w+", sql))


def faults(sql: str, dialect: Dialect) -> list[str]:
    """Each table with a tenant that is neither bound to `:tenant` nor joined on the tenant to one that is, and each
    row that is written for anybody but `:tenant`. Raises NotSql."""
    try:
        tree = parse_one(sql, dialect=dialect)
    except SqlglotError as error:
        raise NotSql(f"{sql}\n{error}") from error
    if isinstance(tree, exp.Command):
        raise NotSql(sql)
    made_here = {cte.alias for cte in tree.find_all(exp.CTE)}
    return [fault for block in _outermost(tree) for fault in _of_block(block, {}, made_here)]


@dataclass
class _Block:
    """The tables of one SELECT, UPDATE or DELETE that have a tenant, and those of them that are confined to it."""

    tables: dict[str, str] = field(default_factory=dict)
    merged: set[str] = field(default_factory=set)
    """Those whose tenants are one column, by USING."""
    bound: set[str] = field(default_factory=set)
    implied: list[tuple[str, str]] = field(default_factory=list)
    """Where the first is bound, the second is."""


def _of_block(node: exp.Expr, outer: Mapping[str, bool], made_here: set[str]) -> Iterator[str]:
    """`outer` are the tables of the statement around it: whether each is bound."""
    if isinstance(node, exp.Insert):
        yield from _of_insert(node)
    block = _read(node, made_here)
    known = {**outer, **{alias: alias in block.bound for alias in block.tables}}
    while more := [to for source, to in block.implied if known.get(source) and known.get(to) is False]:
        known |= dict.fromkeys(more, True)
    for alias, table in block.tables.items():
        if not known[alias]:
            yield f"{table} is not bound to :tenant"
    for inner in _below(node):
        yield from _of_block(inner, known, made_here)


def _read(node: exp.Expr, made_here: set[str]) -> _Block:
    block = _Block()
    joins = [*(node.args.get("joins") or ()), *_joins_of_from(node)]
    for table in [*_first_tables(node), *(join.this for join in joins)]:
        if isinstance(table, exp.Table) and table.name in tenant_tables() - made_here:
            block.tables[table.alias_or_name] = table.name
    for join in joins:
        if any(name.name == "tenant" for name in join.args.get("using") or ()):
            block.merged |= set(block.tables)
    for join in joins:
        # A row of the left side stays whatever the condition of a LEFT JOIN says.
        only = {join.this.alias_or_name} if join.side else None
        _note(block, join.args.get("on"), only)
    where = node.args.get("where")
    _note(block, where.this if where else None, None)
    if isinstance(node, exp.Update):
        _refuse_new_tenant(node, block)
    return block


def _note(block: _Block, condition: exp.Expr | None, only: set[str] | None) -> None:
    """What must be true of the tenants whenever the condition is."""
    for equation in _conjuncts(condition):
        sides = [equation.this, equation.expression] if isinstance(equation, exp.EQ) else []
        columns = [side for side in sides if isinstance(side, exp.Column) and side.name == "tenant"]
        names = [_owners(block, column) for column in columns]
        if len(columns) == 2:
            pairs = [(left, right) for left in names[0] for right in names[1]]
            both_ways = [*pairs, *((right, left) for left, right in pairs)]
            block.implied += [(source, to) for source, to in both_ways if only is None or to in only]
        elif len(columns) == 1 and any(isinstance(side, exp.Placeholder) and side.name == "tenant" for side in sides):
            block.bound |= {name for name in names[0] if only is None or name in only}


def _owners(block: _Block, column: exp.Column) -> list[str]:
    if column.table:
        return [column.table]
    return list(block.tables) if len(block.tables) == 1 else list(block.merged)


def _conjuncts(condition: exp.Expr | None) -> Iterator[exp.Expr]:
    if condition is None:
        return
    condition = condition.unnest()
    if isinstance(condition, exp.And):
        yield from _conjuncts(condition.this)
        yield from _conjuncts(condition.expression)
    else:
        yield condition


def _refuse_new_tenant(node: exp.Update, block: _Block) -> None:
    if any(isinstance(change, exp.EQ) and change.this.name == "tenant" for change in node.expressions):
        block.bound.clear()


def _of_insert(node: exp.Insert) -> Iterator[str]:
    target = node.this
    table = target.this if isinstance(target, exp.Schema) else target
    if table.name not in tenant_tables():
        return
    columns = [column.name for column in target.expressions] if isinstance(target, exp.Schema) else []
    if "tenant" not in columns:
        yield f"{table.name} gets rows without a tenant"
        return
    place = columns.index("tenant")
    source = node.expression
    rows = source.expressions if isinstance(source, exp.Values) else [source]
    for row in rows:
        given = row.expressions[place] if place < len(row.expressions) else None
        if not (isinstance(given, exp.Placeholder) and given.name == "tenant"):
            yield f"{table.name} gets rows of a tenant that is not :tenant"
    conflict = node.args.get("conflict")
    keys = [key.this.name for key in conflict.args.get("conflict_keys") or ()] if conflict else ["tenant"]
    if "tenant" not in keys or node.args.get("alternative"):
        yield f"{table.name} may have rows of another tenant in the way"


def _first_tables(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.Insert):
        return []
    start = node.args.get("from_")
    named = [node.this] if isinstance(node, exp.Update | exp.Delete) else []
    return [*named, *([start.this] if start else []), *(node.args.get("using") or ())]


def _joins_of_from(node: exp.Expr) -> list[exp.Join]:
    return [join for table in _first_tables(node) for join in table.args.get("joins") or ()]


def _outermost(tree: exp.Expr) -> Iterable[exp.Expr]:
    return [tree] if isinstance(tree, _BLOCKS) else _below(tree)


def _below(node: exp.Expr) -> list[exp.Expr]:
    """The statements inside of a statement, without those inside of these."""
    found: list[exp.Expr] = []
    waiting = list(node.iter_expressions())
    while waiting:
        each = waiting.pop()
        if isinstance(each, _BLOCKS):
            found.append(each)
        else:
            waiting += each.iter_expressions()
    return found
