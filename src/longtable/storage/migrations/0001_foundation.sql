-- What every later table stands on. Moments are microseconds since 1970 UTC, JSON is text, flags are 0 or 1.
-- Every table of a tenant begins its key with the tenant, so that a sharded PostgreSQL can distribute it.

-- Facts about the store itself: whether auth is on, the hash of the human secret, the name of the cookie.
CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

-- Numbers without gaps: n1, n2, ... of a session; the sequence of a tenant's events and audit records.
CREATE TABLE counters (
    tenant TEXT NOT NULL,
    scope TEXT NOT NULL,
    name TEXT NOT NULL,
    value BIGINT NOT NULL,
    PRIMARY KEY (tenant, scope, name)
);

CREATE TABLE tokens (
    token_id TEXT PRIMARY KEY,
    secret_hash TEXT NOT NULL UNIQUE,
    tenant TEXT NOT NULL,
    role TEXT NOT NULL,
    name TEXT NOT NULL,
    agent TEXT,
    agent_type TEXT,
    session_id TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT
);
CREATE INDEX tokens_by_tenant ON tokens (tenant, created_at);

-- One-time links and the browser logins they were exchanged for; only hashes of the secrets are kept.
CREATE TABLE login_links (
    secret_hash TEXT PRIMARY KEY,
    expires_at BIGINT NOT NULL
);
CREATE TABLE logins (
    secret_hash TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    role TEXT NOT NULL,
    name TEXT NOT NULL,
    token_id TEXT,
    expires_at BIGINT NOT NULL
);

CREATE TABLE sessions (
    tenant TEXT NOT NULL,
    session_id TEXT NOT NULL,
    purpose TEXT NOT NULL,
    metadata TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    status TEXT NOT NULL,
    ended_at BIGINT,
    provision_key TEXT,
    PRIMARY KEY (tenant, session_id)
);
CREATE INDEX sessions_by_age ON sessions (tenant, created_at, session_id);
CREATE INDEX sessions_by_expiry ON sessions (status, expires_at);
CREATE UNIQUE INDEX sessions_provisioned ON sessions (tenant, provision_key) WHERE status = 'active';

CREATE TABLE notes (
    tenant TEXT NOT NULL,
    session_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    content TEXT NOT NULL,
    tags TEXT NOT NULL,
    author TEXT NOT NULL,
    source TEXT,
    supersedes BIGINT,
    superseded_by BIGINT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, session_id, number)
);
CREATE INDEX notes_by_author ON notes (tenant, session_id, author, number);
CREATE TABLE note_tags (
    tenant TEXT NOT NULL,
    session_id TEXT NOT NULL,
    tag TEXT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (tenant, session_id, tag, number)
);

-- The log: what changed, in the order of the commits.
CREATE TABLE events (
    tenant TEXT NOT NULL,
    seq BIGINT NOT NULL,
    session_id TEXT,
    kind TEXT NOT NULL,
    actor TEXT NOT NULL,
    actor_type TEXT NOT NULL,
    visibility TEXT NOT NULL,
    payload TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, seq)
);
CREATE INDEX events_by_session ON events (tenant, session_id, seq);

CREATE TABLE audit (
    tenant TEXT NOT NULL,
    seq BIGINT NOT NULL,
    event_type TEXT NOT NULL,
    operation TEXT NOT NULL,
    session_id TEXT,
    agent_id TEXT NOT NULL,
    agent_type TEXT NOT NULL,
    role TEXT NOT NULL,
    surface TEXT NOT NULL,
    object TEXT,
    outcome TEXT NOT NULL,
    arguments_digest TEXT,
    metadata TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    previous TEXT NOT NULL,
    digest TEXT NOT NULL,
    PRIMARY KEY (tenant, seq)
);
CREATE INDEX audit_by_type ON audit (tenant, event_type, seq);
CREATE INDEX audit_by_agent ON audit (tenant, agent_id, seq);
CREATE TABLE audit_heads (
    tenant TEXT PRIMARY KEY,
    seq BIGINT NOT NULL,
    digest TEXT NOT NULL
);

CREATE TABLE idempotency (
    tenant TEXT NOT NULL,
    session_id TEXT NOT NULL,
    agent TEXT NOT NULL,
    operation TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    digest TEXT NOT NULL,
    result TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, session_id, agent, operation, idempotency_key)
);
CREATE INDEX idempotency_by_age ON idempotency (created_at);
