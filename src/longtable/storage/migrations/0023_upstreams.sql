-- Upstreams that an owner or the operator has added at run time. `entry` is what the gateway file would have; it may
-- hold secrets, which no answer, event or audit record shows.
CREATE TABLE gateway_upstreams (
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    entry TEXT NOT NULL,
    enabled INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    changed_by TEXT NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, name)
);
