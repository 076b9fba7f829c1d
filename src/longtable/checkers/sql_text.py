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
from longtable.checkers.sql_tokens import Fault, Token, lex, statements
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
_TRANSACT = re.compile(
    r"@\w|\[\w+\]|\s#\w|\bdbo\.|\bN'|^\s*(?:GO|PRINT|EXEC|EXECUTE|USE)\b|\bTOP\s*\(|\bNVARCHAR\b|\bGETDATE\b|\bIDENTITY\s*\(",
    re.IGNORECASE | re.MULTILINE,
)
_STARTS_LINE = frozenset(
    (
        "SELECT",
        "INSERT",
        "UPDATE",
        "DELETE",
        "EXEC",
        "SET",
        "PRINT",
        "CREATE",
        "DROP",
        "ALTER",
        "USE",
        "TRUNCATE",
        "MERGE",
    )
) | {"WITH", "COMMIT", "BEGIN", "ROLLBACK", "DECLARE", "IF"}
_JOINERS = frozenset(("UNION", "ALL", "EXCEPT", "INTERSECT", "AS", "(", "THEN", "DO", "FOR", "ON", "EXPLAIN"))


def check(language: str, text: str, filename: str | None = None) -> Report:
    del language, filename
    plain = encodable(without_mark(text))
    if _TEMPLATE.search(plain):
        return Report(reason="the text is a template of SQL")
    if len(plain) > _LARGEST:
        return Report(reason=f"SQL of more than {_LARGEST:,} characters is not checked")
    lexed = lex(plain)
    if lexed.fault is not None:
        return _report([_misplaced(plain, lexed.tokens, lexed.fault) or lexed.fault], plain)
    return _report(_faults(plain, lexed.tokens), plain)


def _misplaced(text: str, tokens: list[Token], fault: Fault) -> Fault | None:
    """The later brackets close the earlier ones, so of two it is the outer that stays open. The parser stumbles where
    the inner one should have been closed."""
    for statement in statements(tokens):
        if statement[0].offset <= fault.offset < statement[-1].end and text[fault.offset] == "(":
            found = _parser_fault(text, statement)
            is_inside = found is not None and fault.offset < found.offset < statement[-1].offset
            return Fault(fault.message, found.offset) if found is not None and is_inside else None
    return None


def _report(faults: list[Fault], text: str) -> Report:
    lines = Lines(text)
    report = Report(checker=CHECKER)
    for fault in faults[:ENOUGH]:
        line, column = lines.place(fault.offset)
        report.errors.append(Finding(fault.message, line=line, column=column))
    return report


def _faults(text: str, tokens: list[Token]) -> list[Fault]:
    found: list[Fault] = []
    deadline = time.monotonic() + _SECONDS
    for statement in statements(tokens):
        if _is_program(statement) or time.monotonic() > deadline:
            # Where a program ends cannot be told apart from where its statements end.
            break
        fault = _statement_fault(text, statement)
        if fault is not None:
            found.append(fault)
    return found


def _is_program(statement: list[Token]) -> bool:
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


def _statement_fault(text: str, statement: list[Token]) -> Fault | None:
    parts = _without_semicolons(text, statement)
    for part in parts:
        fault = first_fault(part) or _parser_fault(text, part)
        if fault is not None:
            return fault
    return None


def _without_semicolons(text: str, statement: list[Token]) -> list[list[Token]]:
    """Transact-SQL does without semicolons: there a statement may begin where a line does."""
    if not _TRANSACT.search(text):
        return [statement]
    parts: list[list[Token]] = [[]]
    depth = 0
    previous = None
    for token in statement:
        depth += {"(": 1, ")": -1}.get(token.text, 0) if token.kind == "mark" else 0
        if previous is not None and depth == 0 and _begins(text, token, previous, parts[-1]):
            parts.append([])
        parts[-1].append(token)
        previous = token
    return parts


def _begins(text: str, token: Token, previous: Token, part: list[Token]) -> bool:
    if token.kind != "word" or token.text not in _STARTS_LINE or previous.text in _JOINERS:
        return False
    if "\n" not in text[previous.end : token.offset]:
        return False
    head = part[0].text
    if token.text == "SET":
        return head not in ("UPDATE", "MERGE", "INSERT", "ALTER")
    if token.text in ("SELECT", "EXEC", "WITH", "INSERT", "UPDATE", "DELETE") and head in _PARTS:
        return bool(_outer_words(part[1:]) & _PARTS[head])
    return True


_PARTS = {
    "INSERT": words("VALUES SELECT EXEC"),
    "WITH": words("SELECT INSERT UPDATE DELETE MERGE"),
    "CREATE": words("SELECT"),
    "MERGE": words("OUTPUT"),
    "DECLARE": words("SELECT"),
}
"""What must have been seen before a further statement can begin."""


def _outer_words(tokens: list[Token]) -> set[str]:
    depth = 0
    found = set()
    for token in tokens:
        depth += {"(": 1, ")": -1}.get(token.text, 0) if token.kind == "mark" else 0
        if depth == 0 and token.kind == "word":
            found.add(token.text)
    return found


def _is_parsed(statement: list[Token]) -> bool:
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


def _is_unparsed(token: Token) -> bool:
    if token.kind == "word":
        return token.text in UNPARSED
    if token.kind == "operator":
        return token.text not in _PARSED_OPERATORS and _OWN_OPERATOR.search(token.text) is not None
    return token.kind == "string" and token.text.startswith((":", "q'", "Q'"))


def _is_unparsed_pair(token: Token, follower: Token) -> bool:
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


def _parser_fault(text: str, statement: list[Token]) -> Fault | None:
    """What the parser says in the dialect in which it gets farthest, if it accepts the statement in none."""
    if not _is_parsed(statement):
        return None
    start = statement[0].offset
    source = text[start : statement[-1].end]
    farthest: Fault | None = None
    for dialect in _DIALECTS:
        fault = _refusal(source, start, dialect)
        if fault is None:
            return None
        if farthest is None or fault.offset > farthest.offset:
            farthest = fault
    return farthest


def _refusal(source: str, start: int, dialect: str) -> Fault | None:
    try:
        sqlglot.parse(source, dialect=dialect or None)
    except ParseError as error:
        return _located(error.errors[0] if error.errors else {}, source, start)
    except TokenError:
        return Fault("Not SQL that can be read", start)
    except Exception:  # noqa: BLE001 - a fault of the parser itself, such as too deep a recursion, says nothing about the text
        return None
    return None


def _located(details: dict[str, object], source: str, start: int) -> Fault:
    message = str(details.get("description") or "Not SQL that can be read").partition(" but got <")[0].rstrip(".")
    message = message.partition(" for <class")[0]
    line, column = int(str(details.get("line") or 1)), int(str(details.get("col") or 1))
    offset = 0
    for _ in range(line - 1):
        offset = source.find("\n", offset) + 1
    highlight = str(details.get("highlight") or "")
    offset = min(offset + max(column - len(highlight), 0), max(len(source) - 1, 0))
    shown = f"{message}: {highlight[:40]}" if highlight.strip() else message
    return Fault(shown, start + offset)
