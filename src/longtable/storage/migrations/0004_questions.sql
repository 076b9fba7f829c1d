-- Questions to people. `status` is settled in the write that meets an expiry; until then the clock decides at reading.
CREATE TABLE questions (
    tenant TEXT NOT NULL,
    session_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    question TEXT NOT NULL,
    context TEXT,
    asked_by TEXT NOT NULL,
    asked_at BIGINT NOT NULL,
    priority TEXT NOT NULL,
    blocking INTEGER NOT NULL,
    options TEXT,
    expires_at BIGINT,
    status TEXT NOT NULL,
    answer TEXT,
    answered_at BIGINT,
    answered_by TEXT,
    by_human INTEGER NOT NULL,
    PRIMARY KEY (tenant, session_id, number)
);
CREATE INDEX questions_by_status ON questions (tenant, session_id, status, number);

-- Where the work stood when it paused: the newest event then, why, and for which questions.
CREATE TABLE checkpoints (
    tenant TEXT NOT NULL,
    session_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    event_seq BIGINT NOT NULL,
    reasons TEXT NOT NULL,
    questions TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    resumed_at BIGINT,
    PRIMARY KEY (tenant, session_id, number)
);
CREATE INDEX checkpoints_open ON checkpoints (tenant, session_id, number) WHERE resumed_at IS NULL;
