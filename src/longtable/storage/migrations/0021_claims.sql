-- An idempotency key of a gateway call whose outcome is not known yet: `holder` is the process that calls the upstream,
-- `renewed_at` when it was last known to do so. Stored with its result, a key moves to idempotency.
CREATE TABLE gateway_claims (
    tenant TEXT NOT NULL,
    session_id TEXT NOT NULL,
    agent TEXT NOT NULL,
    operation TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    digest TEXT NOT NULL,
    holder TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    renewed_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, session_id, agent, operation, idempotency_key)
);
