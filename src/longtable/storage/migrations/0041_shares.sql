-- Links with which anybody reads a session or one section of its draft. The secret in the link is kept as a hash.
CREATE TABLE shares (
    tenant TEXT NOT NULL,
    share_id TEXT NOT NULL,
    secret_hash TEXT NOT NULL UNIQUE,
    session_id TEXT NOT NULL,
    section_id TEXT,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT,
    PRIMARY KEY (tenant, share_id)
);
CREATE INDEX shares_by_session ON shares (tenant, session_id, created_at);
