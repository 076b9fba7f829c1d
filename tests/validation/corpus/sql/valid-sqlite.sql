PRAGMA foreign_keys = ON;
PRAGMA table_info('t');
CREATE TABLE IF NOT EXISTS notes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  body TEXT NOT NULL COLLATE NOCASE CHECK (length(body) > 0),
  created TEXT DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  kind ANY, hash BLOB AS (sha1(body)) VIRTUAL,
  UNIQUE (body, kind) ON CONFLICT REPLACE
) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE fts USING fts5(body, content='notes', tokenize = 'porter unicode61');
CREATE TRIGGER ai AFTER INSERT ON notes WHEN new.kind IS NOT NULL BEGIN
  INSERT INTO fts(rowid, body) VALUES (new.id, new.body);
  UPDATE notes SET kind = 'x' WHERE id = new.id;
END;
INSERT OR REPLACE INTO notes (id, body) VALUES (?1, :body), (@x, $y) RETURNING id;
INSERT INTO notes VALUES (1, x'53514C') ON CONFLICT (id) DO UPDATE SET body = excluded.body;
SELECT json_extract(j, '$.a[0]'), j -> '$.a' ->> 'b', iif(a, b, c), a IS NOT b, a == b, x GLOB 'a*', y REGEXP 'z', "col", [col2], `col3`, rowid, CAST(a AS TEXT), a NOTNULL, b ISNULL, ~c, d << 2, group_concat(e, '|') FROM notes INDEXED BY ix, json_each(notes.j) AS je WHERE fts MATCH 'a NEAR b' LIMIT 5, 10;
UPDATE OR IGNORE notes SET (a, b) = (1, 2) WHERE id IN (SELECT id FROM fts('x')) ORDER BY id LIMIT 1;
DELETE FROM notes WHERE id NOT IN t2;
ATTACH DATABASE 'x.db' AS aux; DETACH aux; VACUUM INTO 'y.db'; ANALYZE; REINDEX; EXPLAIN QUERY PLAN SELECT 1;
ALTER TABLE notes RENAME COLUMN a TO b; ALTER TABLE notes DROP COLUMN c; DROP VIEW IF EXISTS v;
BEGIN IMMEDIATE; SAVEPOINT s; RELEASE s; END TRANSACTION;
WITH t(a) AS NOT MATERIALIZED (VALUES (1), (2)) SELECT sum(a) OVER (ORDER BY a GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM t;
