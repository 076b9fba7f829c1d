-- In scripts without blanks any two letters side by side are a word from here on. What was indexed otherwise leaves the
-- index, and the first server that runs indexes it anew.
INSERT INTO facts (name, value) SELECT 'search_index', 'incomplete' WHERE EXISTS (SELECT 1 FROM documents);
DELETE FROM vectors;
DELETE FROM documents;
INSERT INTO documents_fts (documents_fts) VALUES ('delete-all');
