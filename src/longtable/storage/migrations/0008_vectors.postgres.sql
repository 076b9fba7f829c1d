ALTER TABLE documents ADD COLUMN embedded BIGINT;
CREATE UNIQUE INDEX documents_by_number ON documents (tenant, document_id);
CREATE INDEX documents_waiting ON documents (tenant, document_id) WHERE embedded IS NULL;

-- Characters `first` up to `last` of a document. The column `vector` is added when the extension for it is there.
CREATE TABLE vectors (
    tenant TEXT NOT NULL,
    vector_id BIGINT GENERATED ALWAYS AS IDENTITY,
    session_id TEXT NOT NULL,
    document_id BIGINT NOT NULL,
    embedder BIGINT NOT NULL,
    part INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (tenant, vector_id)
);
CREATE INDEX vectors_in_scope ON vectors (tenant, session_id, document_id);
CREATE INDEX vectors_by_document ON vectors (tenant, document_id);
ALTER TABLE vectors ENABLE ROW LEVEL SECURITY;
ALTER TABLE vectors FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON vectors USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
