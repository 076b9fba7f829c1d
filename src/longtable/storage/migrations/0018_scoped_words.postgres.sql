-- Every term of the index begins with its scope from here on. Documents keep their numbers and their vectors; the first
-- server that runs gives them their words again, from the newest on. Where documents were missing altogether, all are
-- made anew.
SET LOCAL longtable.tenant = '*';
DELETE FROM vectors WHERE EXISTS (SELECT 1 FROM facts WHERE name = 'search_index');
DELETE FROM documents WHERE EXISTS (SELECT 1 FROM facts WHERE name = 'search_index');
INSERT INTO facts (name, value)
    SELECT 'search_index ' || tenant, CAST(MAX(document_id) AS TEXT) FROM documents GROUP BY tenant;
