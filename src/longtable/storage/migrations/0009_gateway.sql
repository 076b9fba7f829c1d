-- The gateway: what people decided about calls and tools, and what was called.

-- A call that waits for a person, or has been decided. The arguments are kept whole and in one spelling: what is shown
-- to the person is what will run. `handle` is what the agent repeats its call with; it proves nothing by itself.
CREATE TABLE decisions (
    tenant TEXT NOT NULL,
    number BIGINT NOT NULL,
    handle TEXT NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    agent TEXT NOT NULL,
    session_id TEXT,
    workspace TEXT,
    tool TEXT NOT NULL,
    identity TEXT NOT NULL,
    upstream TEXT NOT NULL,
    description TEXT NOT NULL,
    why TEXT,
    arguments TEXT NOT NULL,
    call_digest TEXT NOT NULL,
    definition_digest TEXT NOT NULL,
    policy_version TEXT NOT NULL,
    requested_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    decided_at BIGINT,
    decided_by TEXT,
    reason TEXT,
    standing_until BIGINT,
    used_at BIGINT,
    PRIMARY KEY (tenant, number)
);
CREATE UNIQUE INDEX decisions_by_handle ON decisions (tenant, handle);
CREATE INDEX decisions_by_status ON decisions (tenant, status, number);
CREATE INDEX decisions_by_call ON decisions (tenant, call_digest, number);

-- The definition of each tool that a person or the first sight has agreed to, and one that waits to be agreed to.
CREATE TABLE tool_pins (
    tenant TEXT NOT NULL,
    upstream TEXT NOT NULL,
    remote TEXT NOT NULL,
    status TEXT NOT NULL,
    digest TEXT NOT NULL,
    definition TEXT NOT NULL,
    waiting_digest TEXT,
    waiting_definition TEXT,
    suspicions TEXT NOT NULL,
    first_seen_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    accepted_by TEXT,
    PRIMARY KEY (tenant, upstream, remote)
);
CREATE INDEX tool_pins_waiting ON tool_pins (tenant, status);

-- Token buckets. One row for each tool, caller or tenant that has a limit.
CREATE TABLE rate_buckets (
    tenant TEXT NOT NULL,
    bucket TEXT NOT NULL,
    micro_tokens BIGINT NOT NULL,
    refilled_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, bucket)
);

-- What a conversation wanted, and the calls it led to.
CREATE TABLE intents (
    tenant TEXT NOT NULL,
    number BIGINT NOT NULL,
    agent TEXT NOT NULL,
    session_id TEXT,
    conversation TEXT NOT NULL,
    surface_type TEXT NOT NULL,
    surface_user TEXT NOT NULL,
    message TEXT NOT NULL,
    hint TEXT,
    workspace TEXT,
    remote_id TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, number)
);
CREATE INDEX intents_by_conversation ON intents (tenant, conversation, number);
CREATE TABLE intent_calls (
    tenant TEXT NOT NULL,
    intent BIGINT NOT NULL,
    number BIGINT NOT NULL,
    tool TEXT NOT NULL,
    layer TEXT NOT NULL,
    outcome TEXT NOT NULL,
    duration_ms BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, intent, number)
);

-- Runs of playbooks and of whatever else goes on after its call has been answered.
CREATE TABLE gateway_runs (
    tenant TEXT NOT NULL,
    execution_id TEXT NOT NULL,
    agent TEXT NOT NULL,
    session_id TEXT,
    tool TEXT NOT NULL,
    upstream TEXT NOT NULL,
    remote_id TEXT,
    status TEXT NOT NULL,
    progress TEXT NOT NULL,
    result TEXT,
    error TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, execution_id)
);

-- Which workspace of a backend belongs to whom.
CREATE TABLE workspaces (
    tenant TEXT NOT NULL,
    backend TEXT NOT NULL,
    owner TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    title TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, backend, owner)
);

-- What an owner has changed at run time: rules, switches, upstreams. It lies over the file; each change is a version.
CREATE TABLE gateway_overlays (
    tenant TEXT NOT NULL,
    version BIGINT NOT NULL,
    document TEXT NOT NULL,
    changed_by TEXT NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, version)
);
