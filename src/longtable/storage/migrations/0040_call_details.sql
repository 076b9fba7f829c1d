-- What was in a call of another server's tool and what became of it, without what looks like a secret, and cut. It is kept
-- for `gateway_calls_kept`, the newest of each tenant; the audit record of a call stays.
CREATE TABLE call_details (
    tenant TEXT NOT NULL,
    call_id TEXT NOT NULL,
    tool TEXT NOT NULL,
    upstream TEXT,
    agent TEXT NOT NULL,
    session_id TEXT,
    layer TEXT,
    confirm TEXT,
    rule TEXT,
    outcome TEXT NOT NULL,
    duration BIGINT NOT NULL,
    decision_id TEXT,
    definition_digest TEXT,
    arguments TEXT NOT NULL,
    result TEXT,
    error TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, call_id)
);
CREATE INDEX call_details_by_time ON call_details (tenant, created_at);
CREATE INDEX call_details_of_session ON call_details (tenant, session_id);

-- The definitions that these calls were checked against, each once. `used_at` is at most an hour old.
CREATE TABLE call_definitions (
    tenant TEXT NOT NULL,
    digest TEXT NOT NULL,
    definition TEXT NOT NULL,
    used_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, digest)
);
