"""Checks SQL. Dialects differ, so only what none of the common ones accepts is an error."""

import logging
import re
import time
from difflib import get_close_matches

import sqlglot
from sqlglot.errors import ParseError, TokenError

from longtable.checkers.findings import ENOUGH, Finding, Report
from longtable.checkers.positions import Lines, encodable, without_mark
from longtable.checkers.source import words
from longtable.checkers.sql_tokens import SqlFault, SqlToken, lex, statements

CHECKER = "sqlglot"
# It warns of each statement that it keeps as it is; nothing here reads that.
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
_DIALECTS = (
    *("", "postgres", "mysql", "sqlite", "tsql", "bigquery", "snowflake", "duckdb", "oracle", "clickhouse", "spark"),
)
_NAMED = {**dict.fromkeys(("pgsql", "psql", "pg"), "postgres"), "mssql": "tsql", "plsql": "oracle", "bq": "bigquery"}
"""Parts of file names that are called otherwise than the dialect: `report.bq.sql`."""
_LARGEST = 200_000
"""Characters; the parser needs seconds for more."""
_MOST_TOKENS = 20_000
"""The most tokens of one statement."""
_SECONDS = 4.0
_TEMPLATE = re.compile(r"\{\{|\{%|\$\{|<%")
_TRANSACT = re.compile(
    r"@\w|\[\w+\]|\s#\w|\bdbo\.|\bN'|^\s*(?:GO|PRINT|EXEC|EXECUTE|USE)\b"
    r"|\bTOP\s*\(|\bNVARCHAR\b|\bGETDATE\b|\bIDENTITY\s*\(",
    re.IGNORECASE | re.MULTILINE,
)
_QUERIES = words("SELECT WITH INSERT UPDATE DELETE MERGE REPLACE VALUES (")
_DEFINITIONS = words("CREATE ALTER DROP")
_PROCEDURAL = words("DECLARE IF WHILE LOOP FOR FOREACH DO DELIMITER CASE REPEAT EXCEPTION RAISE RETURN")
"""What follows one of these is a program, not a list of statements."""
_ROUTINES = words("FUNCTION PROCEDURE PROC TRIGGER EVENT PACKAGE")
_TRANSACTIONS = words("TRAN TRANSACTION WORK IMMEDIATE DEFERRED EXCLUSIVE ISOLATION READ NOT")
_STARTS = (
    _QUERIES
    | _DEFINITIONS
    | _PROCEDURAL
    | words(
        "ABORT ADD ANALYZE ANALYSE ASSERT ATTACH AUDIT BACKUP BEGIN BULK CACHE CALL CHANGE CHECK CHECKPOINT CHECKSUM"
        " CLOSE CLUSTER COMMENT COMMIT COPY COMPUTE CONNECT DBCC DEALLOCATE DEFINE DENY DESC DESCRIBE DETACH DISABLE"
        " DISCARD DISCONNECT ECHO ENABLE END EXCHANGE EXEC EXECUTE EXISTS EXIT EXPLAIN EXPORT FETCH FLASHBACK FLUSH"
        " FORCE FROM FREEZE FUNCTION GET GO GOTO GRANT HANDLER HELP IMPORT INSTALL KILL LEAVE LIST LISTEN LOAD LOCK"
        " MOVE MSCK NOAUDIT NOTIFY OPEN OPTIMIZE PERFORM PIVOT PRAGMA PREPARE PRINT PROCEDURE PURGE PUT RAISERROR READ"
        " REASSIGN RECONFIGURE REFRESH REINDEX RELEASE REMOVE RENAME REPAIR RESET RESIGNAL RESTORE RESTRICT REVERT"
        " REVOKE ROLLBACK SAVE SAVEPOINT SECURITY SET SHOW SHUTDOWN SIGNAL SPOOL START STOP SUMMARIZE SYSTEM TABLE"
        " THROW TRUNCATE UNCACHE UNDROP UNLISTEN UNLOAD UNLOCK UNPIVOT UNSET USE USING VACUUM VALIDATE WAITFOR"
        " WHENEVER XA"
    )
)
_OBJECTS = words("TABLE VIEW INDEX SCHEMA DATABASE SEQUENCE FUNCTION PROCEDURE TRIGGER EXTENSION POLICY")
_LIKE_OBJECTS = words("DATASHARE PROFILE CLUSTER TABLESPACE INDEXTYPE TABLES INDEXES DATABASES")
"""Kinds of objects that are no misspelled ones."""
_UNFINISHED = re.compile(
    r"(?<!\.)(?<!\bAS)(?<!CHARACTER)(?<!HASH)(?<!LOOP)(?<!MERGE)(?:^| )((?:WHERE|AND|OR|BY|HAVING|JOIN|INTO|SET|,)"
    r"(?= ?$| [,)]| (?:FROM|WHERE|HAVING|GROUP BY|ORDER BY)\b)|AS(?= ?$| [,)]))"
)
_MAY_END_WITH_COMMA = re.compile(
    r"`[^`]*\.[^`]*`|\b(?:INT64|FLOAT64|SAFE_\w+|STRUCT|QUALIFY|UNNEST|COUNTIF|DATE_DIFF)\b|\*\s*EXCLUDE\b"
    r"|\bMATCH_RECOGNIZE\b"
)
"""In BigQuery and DuckDB a comma may end the list of what is selected."""
_UNKNOWN = re.compile(
    r"\b(?:OVERRIDING|PASSING|OVERLAPS|PERIOD|INHERIT|ENFORCED|TABLESAMPLE|CYCLE|SEARCH|VARYING|OPTIONS|SIMILAR"
    r"|COLLATION|SYSTEM|OPERATOR|JSON\w*|XML\w+|COMPRESSION|STORAGE|NORMALIZED|UESCAPE|SECURITY_\w+|LOCAL|OUTFILE"
    r"|DUMPFILE|LOW_PRIORITY|MATCH_RECOGNIZE|OPEN(?:ROWSET|QUERY|DATASOURCE)|(?:TRY_)?PARSE|DIFFERENTIAL_PRIVACY"
    r"|DISTKEY|SORTKEY|DISTSTYLE|ENCODE|OUTPUT|EXEC|EXECUTE|UPDATE\s+(?:OR|IGNORE)|CURRENT\s+OF|DELETE\s+WHERE"
    r"|INTERVAL\s+(?:DAY|YEAR)|ANY\s+NOT|FOR\s+BIT|(?:BOX|POINT|LINE|LSEG|PATH|POLYGON|CIRCLE|INET|CIDR|MACADDR)\s*')"
    r"|\bWITH\s*\([^()']{0,300}?\b[a-z_]\w{0,62}\.[a-z_]\w{0,62}\s*[,)=]"
    r"|\bANY\s*[,)]|\bUSING\s*(?:\([^()]*\)\s*AS\b|[<>=~])|\?\d|\bQ'|(?<!:):'|[~@#&^?]|\*[<>=]|[-+*/%]=|<<<|>>>|\{",
    re.IGNORECASE,
)
"""What the parser does not know or knows in part; operators that PostgreSQL lets one define are among them."""


def check(language: str, text: str, filename: str | None = None) -> Report:
    del language
    dialects = _dialects(filename)
    plain = encodable(without_mark(text))
    if _TEMPLATE.search(plain):
        return Report(reason="the text is a template of SQL")
    if len(plain) > _LARGEST:
        return Report(reason=f"SQL of more than {_LARGEST:,} characters is not checked")
    lexed = lex(plain)
    faults = [lexed.fault] if lexed.fault is not None else _faults(plain, lexed.tokens, dialects)
    return _report(faults, plain)


def _dialects(filename: str | None) -> tuple[str, ...]:
    parts = [_NAMED.get(part, part) for part in (filename or "").lower().split(".")[1:]]
    return next(((part,) for part in parts if part in _DIALECTS[1:]), _DIALECTS)


def _report(faults: list[SqlFault], text: str) -> Report:
    lines = Lines(text)
    report = Report(checker=CHECKER)
    for fault in faults[:ENOUGH]:
        line, column = lines.position(fault.offset)
        report.errors.append(Finding(fault.message, line=line, column=column))
    return report


def _faults(text: str, tokens: list[SqlToken], dialects: tuple[str, ...]) -> list[SqlFault]:
    found: list[SqlFault] = []
    deadline = time.monotonic() + _SECONDS
    is_transact = _TRANSACT.search(text) is not None
    for statement in statements(tokens):
        if _is_program(statement) or time.monotonic() > deadline:
            # Where a program ends cannot be distinguished from where its statements end.
            break
        source = text[statement[0].offset : statement[-1].end]
        if is_transact and "\n" in source:
            # It does without semicolons, so the end of a statement is unknown.
            continue
        fault = _misspelled(statement) or _unfinished(source, statement) or _refused(source, statement, dialects)
        found += [fault] if fault is not None else []
    return found


def _is_program(statement: list[SqlToken]) -> bool:
    head = statement[0].text
    if head in ("BEGIN", "END"):
        return len(statement) > 1 and statement[1].text not in _TRANSACTIONS
    if head in _DEFINITIONS and {token.text for token in statement[:12]} & _ROUTINES:
        return not any(token.kind == "string" and token.text.startswith("$") for token in statement)
    return head in _PROCEDURAL


def _misspelled(statement: list[SqlToken]) -> SqlFault | None:
    """The first word, or the kind of object that is defined."""
    return _wrong_start(statement) or _wrong_object(statement)


def _wrong_start(statement: list[SqlToken]) -> SqlFault | None:
    head = statement[0]
    is_operand = head.kind in ("string", "number") or head.text in ("*", "=", ",")
    if is_operand or (_starts_with_word(statement) and head.text not in _STARTS):
        return SqlFault(f"No statement starts with {head.text[:40]}", head.offset)
    return None


def _starts_with_word(statement: list[SqlToken]) -> bool:
    """Neither a variable nor a label."""
    head = statement[0]
    is_label = len(statement) > 1 and statement[1].text == ":"
    return head.kind == "word" and head.text[0] not in "@:$%#" and not is_label


def _wrong_object(statement: list[SqlToken]) -> SqlFault | None:
    if len(statement) < 2 or statement[0].text not in _DEFINITIONS:
        return None
    head, subject = statement[:2]
    if subject.kind != "word" or subject.text in _OBJECTS | _LIKE_OBJECTS:
        return None
    is_close = bool(get_close_matches(subject.text, _OBJECTS, n=1, cutoff=0.7))
    return SqlFault(f"{head.text} knows no {subject.text[:40]}", subject.offset) if is_close else None


def _unfinished(source: str, statement: list[SqlToken]) -> SqlFault | None:
    """A word or a comma that needs something after it; the parser is more forgiving than any database."""
    if statement[0].text not in _QUERIES | _DEFINITIONS or _MAY_END_WITH_COMMA.search(source):
        return None
    shape = " ".join(token.text if token.kind in ("word", "mark") else "x" for token in statement)
    found = _UNFINISHED.search(shape)
    if found is None:
        return None
    token = statement[shape.count(" ", 0, found.start(1))]
    return SqlFault(f"Something is missing after {token.text}", token.offset)


def _refused(source: str, statement: list[SqlToken], dialects: tuple[str, ...]) -> SqlFault | None:
    """The error of the parser in the dialect in which it gets farthest, if it accepts the statement in none."""
    if len(statement) > _MOST_TOKENS or not _is_parsed(statement) or _is_unknown(source):
        return None
    faults = []
    for dialect in dialects:
        fault = _refusal(source, statement[0].offset, dialect)
        if fault is None:
            return None
        faults.append(fault)
    return max(faults, key=lambda fault: fault.offset)


def _is_parsed(statement: list[SqlToken]) -> bool:
    head = statement[0].text
    if head in _DEFINITIONS:
        is_list = head == "DROP" and any(token.text == "," for token in statement)
        return not is_list and bool({token.text for token in statement[1:5]} & {"TABLE", "VIEW", "INDEX"})
    return head in _QUERIES


def _is_unknown(source: str) -> bool:
    return _UNKNOWN.search(source) is not None


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
