-- What a person has said and may still take back: the call as it will be made when its time has come. `releasing` is 1 once
-- that has begun.
CREATE TABLE holds (
    tenant TEXT NOT NULL,
    hold_id TEXT NOT NULL,
    session_id TEXT,
    operation TEXT NOT NULL,
    arguments TEXT NOT NULL,
    role TEXT NOT NULL,
    agent TEXT NOT NULL,
    agent_type TEXT NOT NULL,
    surface TEXT NOT NULL,
    held_at BIGINT NOT NULL,
    until BIGINT NOT NULL,
    releasing BIGINT NOT NULL,
    PRIMARY KEY (tenant, hold_id)
);
CREATE INDEX holds_by_end ON holds (until);
