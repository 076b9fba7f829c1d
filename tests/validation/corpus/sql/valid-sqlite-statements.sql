CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT COLLATE NOCASE);
INSERT OR REPLACE INTO notes (id, body) VALUES (1, 'a'), (2, 'it''s "quoted"');
PRAGMA foreign_keys = ON;
SELECT id, body, length(body) FROM notes WHERE body LIKE '%a%' OR body GLOB 'it*' ORDER BY id;
UPDATE notes SET body = body || '!' WHERE id = 1;
DELETE FROM notes WHERE id IN (SELECT id FROM notes LIMIT 1);
