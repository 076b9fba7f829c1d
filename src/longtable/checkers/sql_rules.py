"""Faults of SQL that show in the order of words alone. Each rule names what no common dialect accepts; the parser
asked afterwards is too forgiving to find them."""

from collections.abc import Callable, Iterator
from difflib import get_close_matches
from itertools import pairwise, zip_longest

from longtable.checkers.sql_tokens import SqlFault, SqlToken
from longtable.checkers.sql_words import (
    CLAUSES,
    COMPARISONS,
    DANGLING,
    DEFINITIONS,
    KNOWN_OBJECTS,
    NEEDS_NEXT,
    OBJECTS,
    ORDERS,
    QUERIES,
    STARTS,
    TYPES,
    words,
)

_NOTHING = SqlToken("mark", "", 0, 0)


def first_fault(statement: list[SqlToken]) -> SqlFault | None:
    faults = [fault for rule in RULES for fault in rule(statement)]
    return min(faults, key=lambda fault: fault.offset, default=None)


def _unknown_start(statement: list[SqlToken]) -> Iterator[SqlFault]:
    head = statement[0]
    if head.kind in ("string", "number") or (head.kind == "operator" and head.text in ("*", "=", ",")):
        yield SqlFault(f"No statement starts with {_shown(head)}", head.offset)
    if head.kind != "word" or head.text in STARTS or head.text[0] in "@:$%#":
        return
    if len(statement) > 1 and statement[1].text == ":":
        return
    yield SqlFault(f"No statement starts with {_shown(head)}", head.offset)


def _commas(statement: list[SqlToken]) -> Iterator[SqlFault]:
    may_trail = any(_is_of_bigquery(token, previous) for previous, token in pairwise([_NOTHING, *statement]))
    for token, follower in _pairs(statement):
        if token.kind != "mark" or token.text not in (",", "("):
            continue
        if follower.kind == "mark" and follower.text == ",":
            yield SqlFault("Something is missing before this ','", follower.offset)
        elif token.text == "," and may_trail and follower.text == "FROM":
            continue
        elif token.text == "," and (
            follower is _NOTHING or follower.text == ")" or _starts_clause(statement, follower)
        ):
            yield SqlFault("Something is missing after this ','", token.offset)


_OF_BIGQUERY = words("INT64 FLOAT64 SAFE_CAST STRUCT QUALIFY UNNEST COUNTIF SAFE_DIVIDE DATE_DIFF")


def _is_of_bigquery(token: SqlToken, previous: SqlToken) -> bool:
    """There, and in DuckDB, a comma may end the list of what is selected."""
    if token.kind == "quoted":
        return token.text.startswith("`") and "." in token.text
    if token.text == "EXCLUDE":
        return previous.text == "*"
    return token.kind == "word" and token.text in _OF_BIGQUERY


def _dangling(statement: list[SqlToken]) -> Iterator[SqlFault]:
    """A word or operator that needs something after it, where a clause, a bracket or the statement ends."""
    if (statement[0].text not in QUERIES and statement[0].text != "(") or "MATCH_RECOGNIZE" in _words(statement):
        return
    previous = _NOTHING
    for token, follower in _pairs(statement):
        if _needs_next(token, previous) and _ends(statement, follower):
            yield SqlFault(f"Something is missing after {_shown(token)}", token.offset)
        previous = token


_WHOLE = frozenset((("CHARACTER", "SET"), ("HASH", "JOIN"), ("LOOP", "JOIN"), ("MERGE", "JOIN")))
"""Pairs that need nothing more."""


def _needs_next(token: SqlToken, previous: SqlToken) -> bool:
    if previous.text in ("(", "USING") and token.kind == "operator":
        return False
    if token.kind == "word":
        # After AS any word may be a name.
        return token.text in DANGLING and previous.text not in (".", "AS") and (previous.text, token.text) not in _WHOLE
    return token.kind == "operator" and token.text in NEEDS_NEXT


def _ends(statement: list[SqlToken], follower: SqlToken) -> bool:
    if follower is _NOTHING or (follower.kind == "mark" and follower.text in (")", ",")):
        return True
    return _starts_clause(statement, follower)


def _starts_clause(statement: list[SqlToken], token: SqlToken) -> bool:
    if token.kind != "word":
        return False
    if token.text in CLAUSES:
        return True
    return token.text in ("GROUP", "ORDER") and _after(statement, token).text == "BY"


def _aliases(statement: list[SqlToken]) -> Iterator[SqlFault]:
    if statement[0].text not in QUERIES:
        return
    for token, follower in _pairs(statement):
        if token.kind == "word" and token.text == "AS" and (follower is _NOTHING or follower.text in (",", ")")):
            yield SqlFault("A name is missing after AS", token.offset)


def _lists(statement: list[SqlToken]) -> Iterator[SqlFault]:
    """`WHERE a IN 1, 2`: ClickHouse lets a single value do without brackets, but there is no comma in a condition."""
    condition = next((at for at, token in enumerate(statement) if token.text == "WHERE"), len(statement))
    for at in range(condition, len(statement) - 2):
        token, follower, after = statement[at : at + 3]
        if token.text == "IN" and token.kind == "word" and follower.kind in ("number", "string") and after.text == ",":
            yield SqlFault("The values after IN need brackets", follower.offset)


def _literals(statement: list[SqlToken]) -> Iterator[SqlFault]:
    for token, follower in _pairs(statement):
        if {token.kind, follower.kind} <= {"number", "string"} and "number" in (token.kind, follower.kind):
            yield SqlFault(f"Something is missing before {_shown(follower)}", follower.offset)


def _clause_order(statement: list[SqlToken]) -> Iterator[SqlFault]:
    if statement[0].text not in ("SELECT", "WITH", "(", "DELETE", "UPDATE"):
        return
    reached: list[int] = [0]
    for token, follower in _pairs(statement):
        if token.kind == "mark":
            _enter_or_leave(token, reached)
        elif token.kind in ("word", "operator") and token.text in _RESETS:
            reached[-1] = 0
        elif _is_clause(token, follower):
            rank = ORDERS[token.text]
            if rank < reached[-1] or rank == reached[-1] == 1:
                yield SqlFault(
                    f"{token.text} may not stand here: it comes once, and before what is above", token.offset
                )
                return
            reached[-1] = max(rank, reached[-1])


_RESETS = words("SELECT UNION INTERSECT EXCEPT MINUS CONFLICT DUPLICATE UPDATE DELETE INSERT WINDOW |>")


def _enter_or_leave(token: SqlToken, reached: list[int]) -> None:
    if token.text == "(":
        reached.append(0)
    elif token.text == ")" and len(reached) > 1:
        reached.pop()


def _is_clause(token: SqlToken, follower: SqlToken) -> bool:
    if token.kind != "word" or token.text not in ORDERS or follower.text in (".", ",", "=", ")", "AS"):
        return False
    if token.text == "LIMIT":
        return follower.kind in ("number", "word")
    return token.text not in ("GROUP", "ORDER") or follower.text == "BY"


def _select(statement: list[SqlToken]) -> Iterator[SqlFault]:
    """An empty list is legal in PostgreSQL, but there only a subquery is ever written so."""
    texts = [token.text for token in statement[:3]]
    if texts[:2] == ["SELECT", "FROM"] or texts == ["SELECT", "DISTINCT", "FROM"] or statement[-1].text == "SELECT":
        yield SqlFault("SELECT names nothing to select", statement[0].offset)
    if texts[:1] == ["TABLE"] and texts[2:] == ["("]:
        yield SqlFault("No statement with columns starts with TABLE", statement[0].offset)
    if texts[:1] == ["SELECT"] and "FROM" not in _words(statement):
        for token, follower in _pairs(statement):
            if token.kind == "word" and token.text in _NOT_FROM and follower.kind in ("word", "quoted"):
                yield SqlFault(f"Expected FROM, found {_shown(token)}", token.offset)


_NOT_FROM = words("FORM FRM FOM FRMO FROMM FRON")


def _insert(statement: list[SqlToken]) -> Iterator[SqlFault]:
    if statement[0].text not in ("INSERT", "REPLACE"):
        return
    texts = _words(statement)
    if not texts & _SOURCES:
        yield SqlFault("INSERT says nothing about what to insert: VALUES or a query is missing", statement[0].offset)
        return
    for token, follower in _pairs(statement):
        if token.text == "INTO" and follower.text in ("VALUES", "(", "SELECT"):
            yield SqlFault("INTO names no table", token.offset)
        elif token.kind == "word" and token.text == "VALUES" and follower.kind in ("number", "string"):
            yield SqlFault("The values need brackets", follower.offset)
    yield from _insert_target(statement)
    yield from _insert_rows(statement)
    yield from _insert_columns(statement)


_SOURCES = words("VALUES VALUE SELECT DEFAULT SET EXEC EXECUTE TABLE WITH FROM CALL")
_AFTER_INSERT = words("INTO OVERWRITE OR IGNORE LOW_PRIORITY DELAYED HIGH_PRIORITY ALL FIRST TOP WHEN DIRECTORY LOCAL")


def _insert_target(statement: list[SqlToken]) -> Iterator[SqlFault]:
    if len(statement) < 3 or statement[0].text != "INSERT" or statement[1].text in _AFTER_INSERT:
        return
    if statement[1].kind == statement[2].kind == "word" and statement[2].text not in _SOURCES | {"OUTPUT", "AS"}:
        yield SqlFault(f"Expected INTO, found {_shown(statement[1])}", statement[1].offset)


def _insert_rows(statement: list[SqlToken]) -> Iterator[SqlFault]:
    start = next((index for index, token in enumerate(statement) if token.text == "VALUES"), len(statement))
    depth = 0
    for token, follower in _pairs(statement[start:]):
        depth += {"(": 1, ")": -1}.get(token.text, 0) if token.kind == "mark" else 0
        if depth == 0 and token.text == ")" and follower.text == "(":
            yield SqlFault("A ',' is missing between two rows", follower.offset)


def _insert_columns(statement: list[SqlToken]) -> Iterator[SqlFault]:
    """Two names without a comma in the list of columns."""
    opened = next((index for index, token in enumerate(statement) if token.text == "("), len(statement))
    if any(token.text in _SOURCES for token in statement[: opened + 2]):
        return
    for token, follower in _pairs(statement[opened + 1 :]):
        if token.text in (")", "(", "["):
            return
        if token.kind in ("word", "quoted") and follower.kind in ("word", "quoted"):
            yield SqlFault("A ',' is missing between two columns", follower.offset)
            return


def _comparisons(statement: list[SqlToken]) -> Iterator[SqlFault]:
    if statement[0].text in DEFINITIONS:
        return
    for token, follower in _pairs(statement):
        if token.kind == follower.kind == "operator" and token.text in COMPARISONS and follower.text in COMPARISONS:
            yield SqlFault(f"{token.text} is followed by {follower.text}", follower.offset)


def _delete(statement: list[SqlToken]) -> Iterator[SqlFault]:
    if len(statement) < 3 or statement[0].text != "DELETE":
        return
    target, follower = statement[1], statement[2]
    if target.text in ("FROM", "TOP", "LOW_PRIORITY", "QUICK", "IGNORE", "ONLY") or target.kind != "word":
        return
    if follower.kind == "word" and follower.text not in ("FROM", "WHERE", "OUTPUT", "USING", "AS", "WITH"):
        yield SqlFault(f"Expected FROM, found {_shown(target)}", target.offset)


def _definition(statement: list[SqlToken]) -> Iterator[SqlFault]:
    if statement[0].text not in DEFINITIONS or len(statement) < 2 or statement[1].kind != "word":
        return
    object_word = statement[1]
    if object_word.text not in KNOWN_OBJECTS and get_close_matches(object_word.text, OBJECTS, n=1, cutoff=0.7):
        yield SqlFault(f"{statement[0].text} knows no {_shown(object_word)}", object_word.offset)
        return
    kind = next((token.text for token in statement[1:4] if token.text in OBJECTS), "")
    if statement[0].text == "CREATE" and not _words(statement) & _NEEDED.get(kind, _words(statement)):
        if kind == "TABLE" and any(token.text == "(" for token in statement):
            return
        yield SqlFault(f"This CREATE {kind} is not complete", statement[0].offset)


def _columns(statement: list[SqlToken]) -> Iterator[SqlFault]:
    """A column that begins where the one before has not ended: only one whose type is known can be told for sure."""
    if statement[0].text != "CREATE" or "TABLE" not in [token.text for token in statement[1:4]]:
        return
    depth = 0
    for at in range(2, len(statement) - 1):
        before, token, follower = statement[at - 1 : at + 2]
        depth += {"(": 1, ")": -1}.get(before.text, 0) if before.kind == "mark" else 0
        if depth == 1 and follower.text in TYPES and _ends_column(before) and _names_column(token):
            yield SqlFault("A ',' is missing before this column", token.offset)
            return


def _names_column(token: SqlToken) -> bool:
    return token.kind == "quoted" or (token.kind == "word" and token.text not in _OPTIONS)


_OPTIONS = words(
    "WITH WITHOUT REFERENCES AS ON FOR CONSTRAINT TTL DEFAULT CHECK COMMENT COLLATE USING NOT KEY INDEX UNIQUE MATCH"
    " INCLUDE WHERE ALIAS TYPE RETURNING UNIQUE GENERATED SET LIKE TO"
)


def _ends_column(token: SqlToken) -> bool:
    return token.text == ")" or (token.kind == "word" and token.text in ("NULL", "KEY", "UNIQUE", "STORED"))


_NEEDED = {
    "TABLE": words("AS LIKE OF SELECT CLONE FROM USING COPY LOCATION PARTITION VIRTUAL"),
    "VIEW": words("AS"),
    "INDEX": words("ON"),
}


def _pairs(tokens: list[SqlToken]) -> Iterator[tuple[SqlToken, SqlToken]]:
    return zip_longest(tokens, tokens[1:], fillvalue=_NOTHING)


def _after(statement: list[SqlToken], token: SqlToken) -> SqlToken:
    following = (each for each in statement if each.offset >= token.end)
    return next(following, _NOTHING)


def _words(statement: list[SqlToken]) -> frozenset[str]:
    return frozenset(token.text for token in statement if token.kind == "word")


def _shown(token: SqlToken) -> str:
    return token.text if len(token.text) <= 40 else f"{token.text[:37]}..."


RULES: list[Callable[[list[SqlToken]], Iterator[SqlFault]]] = [
    _unknown_start,
    _commas,
    _dangling,
    _aliases,
    _lists,
    _literals,
    _clause_order,
    _select,
    _insert,
    _comparisons,
    _delete,
    _definition,
    _columns,
]
