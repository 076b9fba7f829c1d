-- The access of a tenant to an upstream that wants authorization. `sealed` holds tokens and client, encrypted; null when
-- they count no more, and `problem` says why. `holder` is the process that renews the tokens, until `held_until`.
CREATE TABLE gateway_authorizations (
    tenant TEXT NOT NULL,
    upstream TEXT NOT NULL,
    version TEXT NOT NULL,
    sealed TEXT,
    issuer TEXT NOT NULL,
    scope TEXT,
    connected_by TEXT NOT NULL,
    connected_at BIGINT NOT NULL,
    issued_at BIGINT NOT NULL,
    expires_at BIGINT,
    problem TEXT,
    holder TEXT,
    held_until BIGINT NOT NULL,
    PRIMARY KEY (tenant, upstream)
);

-- An owner who is about to give that access: made with a link, bound to the browser that opens it, gone with the answer
-- of the authorization server. Secrets are hashed; `sealed` is what the exchange of the code needs, encrypted.
CREATE TABLE gateway_authorization_flows (
    tenant TEXT NOT NULL,
    link_hash TEXT NOT NULL,
    upstream TEXT NOT NULL,
    started_by TEXT NOT NULL,
    surface TEXT NOT NULL,
    state_hash TEXT,
    browser_hash TEXT,
    sealed TEXT,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, link_hash)
);
CREATE UNIQUE INDEX gateway_flows_by_link ON gateway_authorization_flows (link_hash);
CREATE UNIQUE INDEX gateway_flows_by_state ON gateway_authorization_flows (state_hash);
