-- What agents and people say. `thread` is the number of the first message of the conversation that this one is in.
CREATE TABLE messages (
    tenant TEXT NOT NULL,
    session_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    sender TEXT NOT NULL,
    sender_type TEXT NOT NULL,
    content TEXT NOT NULL,
    visibility TEXT NOT NULL,
    metadata TEXT NOT NULL,
    parent BIGINT,
    thread BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, session_id, number)
);
CREATE INDEX messages_by_thread ON messages (tenant, session_id, thread, number);
CREATE INDEX messages_by_sender ON messages (tenant, session_id, sender, number);

-- How many messages of each kind there are, so that a total need not be counted out. `holder` is who may see them:
-- nobody in particular, the sender, or the sender's type.
CREATE TABLE message_counts (
    tenant TEXT NOT NULL,
    session_id TEXT NOT NULL,
    visibility TEXT NOT NULL,
    holder TEXT NOT NULL,
    value BIGINT NOT NULL,
    PRIMARY KEY (tenant, session_id, visibility, holder)
);

-- How far each agent has got: what came later is in its inbox.
CREATE TABLE inbox_cursors (
    tenant TEXT NOT NULL,
    session_id TEXT NOT NULL,
    agent TEXT NOT NULL,
    message BIGINT NOT NULL,
    answered_at BIGINT NOT NULL,
    event BIGINT NOT NULL,
    PRIMARY KEY (tenant, session_id, agent)
);
