-- Who works on which files of a repository. A reservation ends by the clock; the next one in its session deletes it.
CREATE TABLE reservations (
    tenant TEXT NOT NULL,
    session_id TEXT NOT NULL,
    holder TEXT NOT NULL,
    path TEXT NOT NULL,
    mode TEXT NOT NULL,
    reason TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, session_id, holder, path)
);
