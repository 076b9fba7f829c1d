-- Every term of the index begins with its scope from here on, and nothing asks for the sizes of texts or for prefixes by
-- index. Documents keep their numbers and their vectors; the first server that runs gives them their words again, from
-- the newest on. Where documents were missing altogether, all are made anew.
DROP TABLE documents_fts;
CREATE VIRTUAL TABLE documents_fts USING fts5 (words, content = '', columnsize = 0, tokenize = 'porter unicode61');
DELETE FROM vectors WHERE EXISTS (SELECT 1 FROM facts WHERE name = 'search_index');
DELETE FROM documents WHERE EXISTS (SELECT 1 FROM facts WHERE name = 'search_index');
INSERT INTO facts (name, value)
    SELECT 'search_index ' || tenant, CAST(MAX(document_id) AS TEXT) FROM documents GROUP BY tenant;
