"""What is said about SQL: only what none of the common dialects accepts is an error."""

import time
from functools import partial

import pytest

from longtable.checkers import sql_text

check = partial(sql_text.check, "sql")

FAULTS = [
    ("SELEC * FROM t", 1),
    ("SELECT *\nFORM t", 2),
    ("SELECT a,\nFROM t", 1),
    ("SELECT a,, b FROM t", 1),
    ("SELECT (a FROM t", 1),
    ("SELECT a) FROM t", 1),
    ("SELECT a\nFROM t\nWHERE", 3),
    ("SELECT a FROM t WHERE b = 1\nWHERE c = 2", 2),
    ("SELECT a FROM t GROUP a", 1),
    ("SELECT a FROM t GROUP BY", 1),
    ("SELECT a FROM t WHERE b BETWEEN 1", 1),
    ("SELECT CASE WHEN a THEN b FROM t", 1),
    ("SELECT a\nFROM t\nWHERE b = 'x\nAND c = 'y'", 3),
    ("SELECT 1 /* open", 1),
    ("INSERT INTO t (a, b) VALUES (1,)", 1),
    ("UPDATE t STE a = 1", 1),
    ("UPDATE t SET WHERE a = 1", 1),
    ("CREATE TABEL t (a int)", 1),
    ("CREATE TABLE t (a int,)", 1),
    ("WITH x AS SELECT 1 SELECT * FROM x", 1),
    ("BEGIN;\nSELECT 1;\nCOMIT;", 3),
    ("SELECT a AS, b FROM t", 1),
    ("SELECT a,\nFROM t WINDOW w AS (ORDER BY b ROWS 1 PRECEDING EXCLUDE TIES)", 1),
    ("INSERT INTO t VALUES (1, 'it\\'s');\nSELECT (a FROM t;\nSELECT 1;", 2),
]

STANDARD = [
    "",
    "SELECT 1;;",
    "SELECT a FROM t WHERE b IS DISTINCT FROM c UNION SELECT d FROM u WHERE e = 1 ORDER BY 1",
    "WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 9) SELECT sum(n) FROM t",
    "SELECT rank() OVER (PARTITION BY a ORDER BY b ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM t",
    "SELECT 'it''s', \"b c\" FROM t -- don't\n/* it's */",
    "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (a) VALUES (s.a)",
    "CREATE TABLE t (a INT PRIMARY KEY, b TEXT NOT NULL DEFAULT 'x', CHECK (a > 0), FOREIGN KEY (a) REFERENCES u (c))",
    "GRANT SELECT ON t TO u",
    "SELECT lower(p) AS from, upper(p) AS to, a AS set FROM t WHERE b",
    "SELECT {fn now()}, {d '2024-01-01'} FROM t WHERE a LIKE '5!%' {escape '!'}",
    "CREATE TABLE t (a timestamp(3) with time zone, b int NOT NULL REFERENCES date (c), d char(5) FOR BIT DATA)",
    "SELECT * FROM t MATCH_RECOGNIZE (ORDER BY a MEASURES A.b AS c PATTERN (A B+) DEFINE B AS B.d > 1)",
]
ORACLE = [
    "MERGE INTO t USING s ON (t.a = s.a) WHEN MATCHED THEN UPDATE SET b = 1 DELETE WHERE b > 5",
    "CREATE TABLE t (a VARCHAR2(10 CHAR), b INTERVAL DAY(2) TO SECOND(6))",
    "SELECT q'[it's]', X'00' FROM dual",
]
REDSHIFT = ["CREATE TABLE t (a int ENCODE az64 DISTKEY SORTKEY) DISTSTYLE KEY"]
POSTGRES = [
    "SELECT a AS b\nFROM t\n\\gset\n\n\\set c 1\nSELECT 2;\n",
    "SELECT format('DROP TABLE %I', a)\nFROM t\n\\gexec\nSELECT 1;\n",
    "CREATE TABLE a (t timestamptz, d text) WITH (tsdb.hypertable, tsdb.partition_column='t')",
    "CREATE MATERIALIZED VIEW a WITH (timescaledb.continuous) AS SELECT max(b) FROM c WITH NO DATA",
    "INSERT INTO t SELECT a FROM s WHERE b = 1 ON CONFLICT (a) DO UPDATE SET c = 2 WHERE t.d = 3 RETURNING *",
    "SELECT a::int, b->>'x', c @> '{}'::jsonb, d[1:2], ARRAY[1, 2], $1, E'it\\'s' FROM t WHERE EXISTS (SELECT FROM u)",
    "CREATE FUNCTION f(a int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 'it''s; ('; END; $$;\nSELECT f(1)",
    "DO $x$ BEGIN RAISE NOTICE 'x'; END $x$",
    "COPY t (a, b) FROM STDIN WITH (FORMAT csv)",
    "SELECT DISTINCT ON (a) a FROM t, LATERAL (SELECT 1) x ORDER BY a FETCH FIRST 5 ROWS ONLY",
    "\\set x 1\nSELECT :x, :'y';\nSELECT 1 AS a \\gset\nSELECT 2",
    "SELECT (a # b), a #- '{c}' FROM t;\nCREATE OPERATOR # (RIGHTARG = int, PROCEDURE = f);",
    "SELECT * FROM t LEFT JOIN u USING (a, b) AS j",
    "COPY t (a, b) FROM stdin;\n1\tit's (\n\\.\n\nSELECT 1;",
]
MYSQL = [
    "INSERT INTO `t` VALUES (1, 'it\\'s') ON DUPLICATE KEY UPDATE a = VALUES(a), b = b + 1",
    "CREATE TABLE `t` (`a` int AUTO_INCREMENT, PRIMARY KEY (`a`), KEY `k` (`a`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4",
    "UPDATE t INNER JOIN s ON t.a = s.a SET t.b = s.b WHERE s.c = 1",
    "DELIMITER //\nCREATE PROCEDURE p() BEGIN SELECT 1; END //\nDELIMITER ;",
    "SELECT a FROM t # note\nLIMIT 5, 10",
    "SELECT a INTO OUTFILE '/tmp/a' FIELDS TERMINATED BY ',' FROM t",
    "UPDATE LOW_PRIORITY IGNORE t SET a = 1;\nUPDATE IGNORE t SET a = 2;",
]
SQLITE = [
    "PRAGMA foreign_keys = ON",
    "CREATE TABLE t (a ANY, b ANY NOT NULL) STRICT",
    "INSERT OR REPLACE INTO t VALUES (1)",
    "CREATE TRIGGER x AFTER INSERT ON t BEGIN UPDATE u SET a = NEW.a; DELETE FROM v; END;",
    "SELECT a == 1 FROM t WHERE b GLOB 'x*' AND c IN ()",
]
TRANSACT = [
    "SELECT TOP (10) [a b] FROM [dbo].[t] WITH (NOLOCK) WHERE [c] = N'x'\nUPDATE [dbo].[t]\nSET [c] = 1\nGO\nPRINT 'x'",
    "DECLARE @i INT = 0\nWHILE @i < 10\nBEGIN\n  SET @i = @i + 1\nEND",
    "INSERT INTO #x (a) OUTPUT inserted.a VALUES (1)\nSELECT a INTO #y FROM #x",
    "SELECT * FROM t CROSS APPLY (SELECT TOP 1 * FROM s) x FOR JSON AUTO",
    "DELETE TOP (5) FROM t OUTPUT deleted.a WHERE b = 1;\nUPDATE TOP (5) t SET a += 1 OUTPUT inserted.a WHERE b = 2;",
    "SELECT * FROM t WITH (INDEX(x)) OPTION (HASH JOIN);\nSELECT * FROM OPENROWSET(BULK 'a', SINGLE_CLOB) AS r;",
    "EXEC dbo.p @a = 1, @b = N'x' OUTPUT",
]


@pytest.mark.parametrize(("text", "line"), FAULTS)
def test_a_fault_is_an_error_where_it_starts(text: str, line: int) -> None:
    errors = check(text).errors

    assert (errors[0].code, errors[0].line) == ("SYNTAX_ERROR", line)


@pytest.mark.parametrize("text", STANDARD + POSTGRES + MYSQL + SQLITE + TRANSACT + ORACLE + REDSHIFT)
def test_what_one_dialect_accepts_is_accepted(text: str) -> None:
    assert check(text).errors == []


@pytest.mark.parametrize("text", ["SELECT {{ columns }} FROM t", "SELECT 1;\n" * 30_000])
def test_templates_and_large_texts_are_left_unchecked_and_the_reason_told(text: str) -> None:
    report = check(text)

    assert (report.errors, report.checker) == ([], None)
    assert report.reason


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "(" * 190_000,
        "'" * 190_001,
        "q'[" * 60_000,
        "$a$" * 60_001,
        "/*" * 90_000,
        "SELECT " + "(" * 3_000 + "1" + ")" * 3_000,
        "SELECT * FROM t WHERE " + " AND ".join(["a = 1"] * 9_000),
        "SELECT 1;" * 20_000,
        "," * 190_000,
    ],
)
def test_large_and_deep_texts_are_answered_in_time(text: str) -> None:
    started = time.process_time()

    check(text)

    assert time.process_time() - started < 25


def test_the_name_of_a_file_tells_the_dialect() -> None:
    text = "SELECT `a` FROM `b`"

    assert check(text, "report.mysql.sql").errors == []
    assert check(text, "report.pgsql").errors != []
    assert check(text, "report.sql").errors == []
