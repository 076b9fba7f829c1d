-- The plan. What a task depends on never changes, so it lies in its row for readers; the edges are there to find the
-- way back. `open_dependencies` counts those that are not done: 0 means that the task can be begun.
-- A row that is in_progress under a lease that ran out is pending to every reader; it is written down by the next claim.
CREATE TABLE tasks (
    tenant TEXT NOT NULL,
    session_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    description TEXT NOT NULL,
    status TEXT NOT NULL,
    assigned_to TEXT,
    priority BIGINT NOT NULL,
    depends_on TEXT NOT NULL,
    open_dependencies BIGINT NOT NULL,
    metadata TEXT,
    note_count BIGINT NOT NULL,
    version BIGINT NOT NULL,
    claims BIGINT NOT NULL,
    lease TEXT,
    lease_holder TEXT,
    lease_expires_at BIGINT,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, session_id, number)
);
CREATE INDEX tasks_ready ON tasks (tenant, session_id, assigned_to, priority, number)
    WHERE status = 'pending' AND open_dependencies = 0;
CREATE INDEX tasks_leased ON tasks (tenant, session_id, lease_expires_at)
    WHERE status = 'in_progress' AND lease_expires_at IS NOT NULL;

CREATE TABLE task_dependencies (
    tenant TEXT NOT NULL,
    session_id TEXT NOT NULL,
    task BIGINT NOT NULL,
    depends_on BIGINT NOT NULL,
    PRIMARY KEY (tenant, session_id, task, depends_on)
);
CREATE INDEX task_dependents ON task_dependencies (tenant, session_id, depends_on, task);

CREATE TABLE task_notes (
    tenant TEXT NOT NULL,
    session_id TEXT NOT NULL,
    task BIGINT NOT NULL,
    number BIGINT NOT NULL,
    author TEXT NOT NULL,
    text TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, session_id, task, number)
);
