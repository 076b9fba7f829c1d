-- Full text. The index keeps no copy of the words: whoever deletes a document hands them in again.
CREATE TABLE documents (
    document_id INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    kind TEXT NOT NULL,
    session_id TEXT NOT NULL,
    ref TEXT NOT NULL
);
CREATE UNIQUE INDEX documents_by_ref ON documents (tenant, kind, session_id, ref);
CREATE VIRTUAL TABLE documents_fts USING fts5 (scope, words, content = '', tokenize = 'porter unicode61', prefix = '2 3');
