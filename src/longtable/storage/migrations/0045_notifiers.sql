-- Where people are called when something waits for them. `address` and `secret` are encrypted; `shown_address` is what
-- owners see of the address. `position` is the last event of the tenant that was looked at for this notifier.
-- A paused one is tried again later; one that is `gone` was told by its receiver to stop.
CREATE TABLE notifiers (
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    address TEXT NOT NULL,
    shown_address TEXT NOT NULL,
    secret TEXT,
    events TEXT NOT NULL,
    allow_private INTEGER NOT NULL,
    source TEXT NOT NULL,
    position BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    paused_until BIGINT NOT NULL,
    gone INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, name)
);

-- What is to be sent or was: the log of deliveries. It holds no text of anybody: what a session is for is looked up
-- when a notice is sent. `about` is what it is for, so that nothing is told twice; `covers` counts what a digest stands
-- for.
CREATE TABLE notices (
    tenant TEXT NOT NULL,
    notice_id TEXT NOT NULL,
    notifier TEXT NOT NULL,
    type TEXT NOT NULL,
    about TEXT NOT NULL,
    session_id TEXT,
    asker TEXT,
    waiting_since BIGINT NOT NULL,
    covers BIGINT NOT NULL,
    status TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    attempted_at BIGINT,
    response BIGINT,
    problem TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, notice_id)
);
CREATE UNIQUE INDEX notices_once ON notices (tenant, notifier, about);
CREATE INDEX notices_by_notifier ON notices (tenant, notifier, created_at, notice_id);
CREATE INDEX notices_by_session ON notices (tenant, session_id);
CREATE INDEX notices_waiting ON notices (due_at) WHERE status = 'waiting';
