"""Runs operations that only add side by side: in each round trip one statement of every one of them."""

from collections import defaultdict
from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from longtable.storage.database import Row
from longtable.storage.group import QueuedWrite
from longtable.storage.postgres_buffer import StatementBuffer
from longtable.storage.postgres_transaction import PostgresTransaction, affected, translated
from longtable.storage.statements import Statement

if TYPE_CHECKING:
    from longtable.storage.postgres_buffer import PostgresConnection

_Kind = Literal["first", "all", "execute"]


@dataclass(frozen=True, slots=True)
class _StatementRequest:
    """A statement whose result a body waits for. It is yielded to the loop in `run_side_by_side`, not to asyncio."""

    kind: _Kind
    statement: Statement
    values: tuple[Any, ...]

    def __await__(self) -> Generator["_StatementRequest", Any, Any]:
        return (yield self)


class SideBySideTransaction(PostgresTransaction):
    """Its enqueued statements keep their own order, and may pass those of the operations beside it."""

    __slots__ = ("_place",)

    def __init__(self, connection: "PostgresConnection", scope: str, buffer: StatementBuffer) -> None:
        super().__init__(connection, scope, buffer)
        self._place = -1

    @property
    def has_enqueued(self) -> bool:
        return self._place >= 0

    def sent(self) -> None:
        """What it has enqueued was sent."""
        self._place = -1

    async def execute(self, sql: str, **parameters: Any) -> int:
        return cast(int, await self._request("execute", sql, parameters))

    async def first(self, sql: str, **parameters: Any) -> Row | None:
        return cast("Row | None", await self._request("first", sql, parameters))

    async def all(self, sql: str, **parameters: Any) -> list[Row]:
        return cast("list[Row]", await self._request("all", sql, parameters))

    async def tuples(self, sql: str, **parameters: Any) -> list[tuple[Any, ...]]:
        return [tuple(row.values()) for row in await self.all(sql, **parameters)]

    async def _add(self, statement: Statement, rows: list[list[Any]]) -> None:
        assert self._buffer is not None
        self._place = self._buffer.add(statement, rows, max(0, self._place))

    def _request(self, kind: _Kind, sql: str, parameters: dict[str, Any]) -> _StatementRequest:
        statement, values = self._prepare(sql, parameters)
        return _StatementRequest(kind, statement, tuple(values))


class _RunningBody:
    """One body, driven from one of its statements to the next."""

    def __init__(self, operation: QueuedWrite, tx: SideBySideTransaction) -> None:
        self.operation = operation
        self.tx = tx
        self.request: _StatementRequest | None = None
        self.result: Any = None
        self.error: Exception | None = None
        self._steps = operation.body(tx).__await__()

    def resume(self, value: Any) -> None:
        """On to the next statement, or to the end."""
        self.request = None
        try:
            request = self._steps.send(value)
        except StopIteration as end:
            self.result = end.value
        except Exception as error:  # noqa: BLE001  it is the caller's, whatever it is
            self.error = error
        else:
            if not isinstance(request, _StatementRequest):
                self._steps.close()
                raise RuntimeError("A transaction body awaits nothing but its transaction.")
            self.request = request

    def close(self) -> None:
        self._steps.close()


async def run_side_by_side(
    connection: "PostgresConnection", operations: list[QueuedWrite], buffer: StatementBuffer
) -> list[_RunningBody]:
    """All operations, run to their ends. Raises what any of their statements raises: then none of them has ended."""
    runs = [
        _RunningBody(operation, SideBySideTransaction(connection, operation.scope, buffer)) for operation in operations
    ]
    try:
        for run in runs:
            run.resume(None)
        while waiting := [run for run in runs if run.request is not None]:
            with translated():
                results = await _results(connection, waiting, buffer)
            for run, result in zip(waiting, results, strict=True):
                run.resume(result)
    finally:
        for run in runs:
            run.close()
    return runs


async def _results(connection: "PostgresConnection", waiting: list[_RunningBody], buffer: StatementBuffer) -> list[Any]:
    if any(run.tx.has_enqueued for run in waiting):
        await buffer.send(connection)
        for run in waiting:
            run.tx.sent()
    requests = [cast(_StatementRequest, run.request) for run in waiting]
    by_statement: dict[str, list[_StatementRequest]] = defaultdict(list)
    for request in requests:
        by_statement[request.statement.numbered].append(request)
    found: dict[int, Any] = {}
    for same in by_statement.values():
        answer = _counts if same[0].kind == "execute" else _rows
        for request, result in zip(same, await answer(connection, same), strict=True):
            found[id(request)] = result
    return [found[id(request)] for request in requests]


async def _counts(connection: "PostgresConnection", requests: list[_StatementRequest]) -> list[int]:
    return [affected(await connection.execute(one.statement.numbered, *one.values)) for one in requests]


async def _rows(connection: "PostgresConnection", requests: list[_StatementRequest]) -> list[Any]:
    only_reads = requests[0].statement.only_reads
    # A row that is only read is read once for all who ask for it.
    keys = [one.values if only_reads else number for number, one in enumerate(requests)]
    distinct = dict(zip(keys, requests, strict=True))
    rows = dict(zip(distinct, await _rows_of_each(connection, list(distinct.values())), strict=True))
    return [
        rows[key] if one.kind == "all" else next(iter(rows[key]), None) for key, one in zip(keys, requests, strict=True)
    ]


async def _rows_of_each(connection: "PostgresConnection", requests: list[_StatementRequest]) -> list[list[Row]]:
    """In one round trip. Of many, each row tells by its `position` which request it answers."""
    statement = requests[0].statement
    if len(requests) == 1:
        return [[dict(row) for row in await connection.fetch(statement.numbered, *requests[0].values)]]
    text = f"""WITH found AS ({statement.numbered}
        ) SELECT found.*, ${len(statement.order) + 1}::int AS position FROM found"""
    found: list[list[Row]] = [[] for _ in requests]
    for record in await connection.fetchmany(text, [[*one.values, n] for n, one in enumerate(requests)]):
        row = dict(record)
        found[row.pop("position")].append(row)
    return found
