-- AUTOINCREMENT: a text that was changed must never get the number that its former version had.
CREATE TABLE numbered_documents (
    document_id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    kind TEXT NOT NULL,
    session_id TEXT NOT NULL,
    ref TEXT NOT NULL,
    embedded INTEGER
);
INSERT INTO numbered_documents (document_id, tenant, kind, session_id, ref)
    SELECT document_id, tenant, kind, session_id, ref FROM documents ORDER BY document_id;
DROP TABLE documents;
ALTER TABLE numbered_documents RENAME TO documents;
CREATE UNIQUE INDEX documents_by_ref ON documents (tenant, kind, session_id, ref);
CREATE INDEX documents_waiting ON documents (tenant, document_id) WHERE embedded IS NULL;

-- Characters `first` up to `last` of a document, and 384 little-endian 32-bit floats.
CREATE TABLE vectors (
    vector_id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    session_id TEXT NOT NULL,
    document_id INTEGER NOT NULL,
    embedder INTEGER NOT NULL,
    part INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    vector BLOB NOT NULL
);
CREATE INDEX vectors_in_scope ON vectors (tenant, session_id, embedder, vector_id);
CREATE INDEX vectors_by_document ON vectors (document_id);
