-- Full text. The same stemmer as the embedded store and no stop words, so that both find the same.
CREATE TEXT SEARCH DICTIONARY longtable_porter (TEMPLATE = snowball, LANGUAGE = porter);
CREATE TEXT SEARCH CONFIGURATION longtable (COPY = simple);
ALTER TEXT SEARCH CONFIGURATION longtable
    ALTER MAPPING FOR asciiword, word, numword, asciihword, hword, numhword, hword_asciipart, hword_part, hword_numpart
    WITH longtable_porter;

CREATE TABLE documents (
    document_id BIGINT GENERATED ALWAYS AS IDENTITY,
    tenant TEXT NOT NULL,
    kind TEXT NOT NULL,
    session_id TEXT NOT NULL,
    ref TEXT NOT NULL,
    words TSVECTOR NOT NULL,
    PRIMARY KEY (tenant, kind, session_id, ref)
);
CREATE INDEX documents_by_words ON documents USING gin (words);

-- The second wall: besides the predicate of every query, the server itself shows a tenant its own rows only.
-- `longtable.tenant` is set for each transaction; '*' is the program's own work.
DO $$
DECLARE name TEXT;
BEGIN
    FOR name IN
        SELECT table_name FROM information_schema.columns
        WHERE table_schema = current_schema() AND column_name = 'tenant'
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY own_tenant ON %I USING (current_setting(''longtable.tenant'', true) IN (tenant, ''*''))',
            name);
    END LOOP;
END $$;
