-- What agents have reported, added up: one row for each day, agent, model and task of a session. `cost` is in millionths,
-- null where none was told; `session_id` is empty outside of sessions, `task` 0 for none. It outlives the session.
CREATE TABLE usage_totals (
    tenant TEXT NOT NULL,
    day BIGINT NOT NULL,
    session_id TEXT NOT NULL,
    agent TEXT NOT NULL,
    model TEXT NOT NULL,
    task BIGINT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cost BIGINT,
    reports BIGINT NOT NULL,
    PRIMARY KEY (tenant, day, session_id, agent, model, task)
);
