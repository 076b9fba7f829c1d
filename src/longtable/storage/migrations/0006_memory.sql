-- What an agent keeps for itself: in one session, or (session_id = '') across them.
CREATE TABLE memory (
    tenant TEXT NOT NULL,
    agent TEXT NOT NULL,
    session_id TEXT NOT NULL,
    memory_key TEXT NOT NULL,
    value TEXT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    expires_at BIGINT,
    PRIMARY KEY (tenant, agent, session_id, memory_key)
);
CREATE INDEX memory_by_expiry ON memory (expires_at);
