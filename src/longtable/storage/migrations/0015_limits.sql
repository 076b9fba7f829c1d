-- What each process on the store has under way, as JSON: processes tell each other about once a second, as long as
-- there are several and something changes. `version` changes with every word of a process.
CREATE TABLE process_counts (
    process_id TEXT PRIMARY KEY,
    counts TEXT NOT NULL,
    version BIGINT NOT NULL
);

-- Bytes that callers of a tenant have ever written, counted with the audit record of each write; and how many were
-- stored when they were last counted whole, after which `written_at_count` had been written.
ALTER TABLE audit_heads ADD COLUMN written_bytes BIGINT NOT NULL DEFAULT 0;
CREATE TABLE tenant_usage (
    tenant TEXT PRIMARY KEY,
    stored_bytes BIGINT NOT NULL,
    written_at_count BIGINT NOT NULL,
    counted_at BIGINT NOT NULL
);
