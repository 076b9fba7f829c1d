-- A client's connection over streamable HTTP outlives the process that began it: any process on the store serves it.
-- `state` is JSON: what the client has subscribed to and how far it got, the list of tools it was shown, its stream.
CREATE TABLE connections (
    tenant TEXT NOT NULL,
    connection_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    client TEXT NOT NULL,
    session_id TEXT,
    state TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, connection_id)
);
CREATE INDEX connections_by_owner ON connections (tenant, owner, last_used_at);
CREATE INDEX connections_by_use ON connections (last_used_at);
