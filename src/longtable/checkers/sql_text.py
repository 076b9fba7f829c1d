"""Checks SQL. Dialects differ, so only what none of the common ones accepts is an error."""

import logging
import re
import time
from itertools import pairwise

import sqlglot
from sqlglot.errors import ParseError, TokenError

from longtable.checkers.findings import ENOUGH, Finding, Report
from longtable.checkers.places import Lines, encodable, without_mark
from longtable.checkers.sql_rules import first_fault
from longtable.checkers.sql_tokens import Lexed, SqlFault, SqlToken, lex, statements
from longtable.checkers.sql_words import (
    DEFINITIONS,
    LITERAL_TYPES,
    PROCEDURAL,
    QUERIES,
    UNPARSED,
    UNPARSED_PAIRS,
    words,
)

CHECKER = "sqlglot"
# It warns of each statement that it keeps as it is; nobody here reads that.
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
_DIALECTS = (
    "",
    "postgres",
    "mysql",
    "sqlite",
    "tsql",
    "bigquery",
    "snowflake",
    "duckdb",
    "oracle",
    "clickhouse",
    "spark",
)
_TRANSACT = re.compile(
    r"@\w|\[\w+\]|\s#\w|\bdbo\.|\bN'|^\s*(?:GO|PRINT|EXEC|EXECUTE|USE)\b"
    r"|\bTOP\s*\(|\bNVARCHAR\b|\bGETDATE\b|\bIDENTITY\s*\(",
    re.IGNORECASE | re.MULTILINE,
)
_NAMED = {**dict.fromkeys(("pgsql", "psql", "pg"), "postgres"), "mssql": "tsql", "plsql": "oracle", "bq": "bigquery"}
"""Parts of file names that are called otherwise than the dialect: `report.bq.sql`."""
_LARGEST = 200_000
"""Characters; the parser needs seconds for more."""
_MOST_TOKENS = 20_000
"""Of one statement."""
_SECONDS = 4.0
_OWN_OPERATOR = re.compile(r"[~@#&|^?].|.[~@#&|^?]|^\*[<>=]|^(?:<{3}|>{3}|<<=|>>=|[-+*/%]=|\{)$")
"""PostgreSQL lets one define operators; those of its extensions are many. `+=` is one of Transact-SQL, and `{` begins
an escape of JDBC or a parameter."""
_UNPARSED_IN = {
    "INSERT": words("EXEC EXECUTE"),
    "DELETE": words("OUTPUT"),
    "UPDATE": words("OUTPUT"),
}
"""Words that the parser does not know in statements that begin so."""
_PARSED_OPERATORS = words("|| && ~* !~ !~* ~~ !~~ @> <@ #> #>> #- @@ <-> ?| ?&")
_NAMED_JOIN = re.compile(r"\bUSING \( [^()]* \) AS\b")
_TEMPLATE = re.compile(r"\{\{|\{%|\$\{|<%")
_TRANSACTIONS = frozenset(
    ("TRAN", "TRANSACTION", "WORK", "IMMEDIATE", "DEFERRED", "EXCLUSIVE", "ISOLATION", "READ", "NOT")
)
_ROUTINES = frozenset(("FUNCTION", "PROCEDURE", "PROC", "TRIGGER", "EVENT", "PACKAGE"))


def check(language: str, text: str, filename: str | None = None) -> Report:
    del language
    dialects = _dialects(filename)
    plain = encodable(without_mark(text))
    if _TEMPLATE.search(plain):
        return Report(reason="the text is a template of SQL")
    if len(plain) > _LARGEST:
        return Report(reason=f"SQL of more than {_LARGEST:,} characters is not checked")
    lexed = lex(plain)
    if lexed.fault is not None:
        return _report([_misplaced(plain, lexed, dialects) or lexed.fault], plain)
    return _report(_faults(plain, lexed.tokens, dialects), plain)


def _dialects(filename: str | None) -> tuple[str, ...]:
    parts = [_NAMED.get(part, part) for part in (filename or "").lower().split(".")[1:]]
    return next(((part,) for part in parts if part in _DIALECTS[1:]), _DIALECTS)


def _misplaced(text: str, lexed: Lexed, dialects: tuple[str, ...]) -> SqlFault | None:
    """The later brackets close the earlier ones, so of two it is the outer that stays open. The parser stumbles where
    the inner one should have been closed."""
    fault = lexed.fault
    if fault is None:
        return None
    for statement in statements(lexed.tokens):
        if statement[0].offset <= fault.offset < statement[-1].end and text[fault.offset] == "(":
            found = _parser_fault(text, statement, dialects)
            is_inside = found is not None and fault.offset < found.offset < statement[-1].offset
            return SqlFault(fault.message, found.offset) if found is not None and is_inside else None
    return None


def _report(faults: list[SqlFault], text: str) -> Report:
    lines = Lines(text)
    report = Report(checker=CHECKER)
    for fault in faults[:ENOUGH]:
        line, column = lines.place(fault.offset)
        report.errors.append(Finding(fault.message, line=line, column=column))
    return report


def _faults(text: str, tokens: list[SqlToken], dialects: tuple[str, ...]) -> list[SqlFault]:
    found: list[SqlFault] = []
    deadline = time.monotonic() + _SECONDS
    for statement in statements(tokens):
        if _is_program(statement) or time.monotonic() > deadline:
            # Where a program ends cannot be told apart from where its statements end.
            break
        fault = _statement_fault(text, statement, dialects)
        if fault is not None:
            found.append(fault)
    return found


def _is_program(statement: list[SqlToken]) -> bool:
    head = statement[0].text
    if head in ("BEGIN", "END"):
        return len(statement) > 1 and statement[1].text not in _TRANSACTIONS
    if head in PROCEDURAL:
        return True
    if head not in DEFINITIONS:
        return False
    about = {token.text for token in statement[:12] if token.kind == "word"}
    return bool(about & _ROUTINES) and not any(
        token.text.startswith("$") for token in statement if token.kind == "string"
    )


def _statement_fault(text: str, statement: list[SqlToken], dialects: tuple[str, ...]) -> SqlFault | None:
    if _TRANSACT.search(text) and "\n" in text[statement[0].offset : statement[-1].end].strip():
        # It does without semicolons, so that nobody can tell where a statement ends.
        return None
    return first_fault(statement) or _parser_fault(text, statement, dialects)


def _is_parsed(statement: list[SqlToken]) -> bool:
    """Whether the parser's word counts: there are things that it does not know and that are right all the same."""
    if len(statement) > _MOST_TOKENS or any(_is_unparsed(token) for token in statement):
        return False
    if any(_is_unparsed_pair(token, other) for token, other in pairwise(statement)):
        return False
    if _NAMED_JOIN.search(" ".join(token.text for token in statement)):
        return False
    head = statement[0].text
    texts = {token.text for token in statement}
    if head in DEFINITIONS:
        is_list = head == "DROP" and "," in texts
        return not is_list and bool({token.text for token in statement[1:5]} & {"TABLE", "VIEW", "INDEX"})
    if head == "MERGE" and any(pair == ("DELETE", "WHERE") for pair in pairwise(token.text for token in statement)):
        return False
    return (head in QUERIES or head == "(") and texts.isdisjoint(_UNPARSED_IN.get(head, ()))


def _is_unparsed(token: SqlToken) -> bool:
    if token.kind == "word":
        return token.text in UNPARSED
    if token.kind == "operator":
        return token.text not in _PARSED_OPERATORS and _OWN_OPERATOR.search(token.text) is not None
    return token.kind == "string" and token.text.startswith((":", "q'", "Q'"))


def _is_unparsed_pair(token: SqlToken, follower: SqlToken) -> bool:
    if token.text == "USING":
        return follower.kind == "operator"
    if token.text == "?":
        # A numbered parameter, such as ?1 in SQLite.
        return follower.kind == "number" and follower.offset == token.end
    if (token.text, follower.text) in UNPARSED_PAIRS:
        return True
    if token.text == "ENCODE":
        # An option of a column; in front of a bracket it is a function.
        return follower.kind == "word"
    return token.text in LITERAL_TYPES and follower.kind == "string"


def _parser_fault(text: str, statement: list[SqlToken], dialects: tuple[str, ...]) -> SqlFault | None:
    """What the parser says in the dialect in which it gets farthest, if it accepts the statement in none."""
    if not _is_parsed(statement):
        return None
    start = statement[0].offset
    source = text[start : statement[-1].end]
    farthest: SqlFault | None = None
    for dialect in dialects:
        fault = _refusal(source, start, dialect)
        if fault is None:
            return None
        if farthest is None or fault.offset > farthest.offset:
            farthest = fault
    return farthest


def _refusal(source: str, start: int, dialect: str) -> SqlFault | None:
    try:
        sqlglot.parse(source, dialect=dialect or None)
    except ParseError as error:
        return _located(error.errors[0] if error.errors else {}, source, start)
    except TokenError:
        return SqlFault("Not SQL that can be read", start)
    except Exception:  # noqa: BLE001 - a fault of the parser itself, such as too deep a recursion, says nothing about the text
        return None
    return None


def _located(details: dict[str, object], source: str, start: int) -> SqlFault:
    message = str(details.get("description") or "Not SQL that can be read").partition(" but got <")[0].rstrip(".")
    message = message.partition(" for <class")[0]
    line, column = int(str(details.get("line") or 1)), int(str(details.get("col") or 1))
    offset = 0
    for _ in range(line - 1):
        offset = source.find("\n", offset) + 1
    highlight = str(details.get("highlight") or "")
    offset = min(offset + max(column - len(highlight), 0), max(len(source) - 1, 0))
    shown = f"{message}: {highlight[:40]}" if highlight.strip() else message
    return SqlFault(shown, start + offset)
