-- What people look at across sessions and over the whole log, found without reading all of it.

-- Who was active in a session, and when last.
CREATE INDEX events_by_actor ON events (tenant, session_id, actor, created_at);

-- The questions of all sessions, the most urgent first: what blocks, then by priority, then the newest.
CREATE INDEX questions_by_urgency ON questions (
    tenant, status, blocking, (CASE priority WHEN 'high' THEN 2 WHEN 'medium' THEN 1 ELSE 0 END), asked_at, session_id,
    number
);

-- The records of one session, and those of what was refused or failed, which are few.
CREATE INDEX audit_by_session ON audit (tenant, session_id, seq) WHERE session_id IS NOT NULL;
CREATE INDEX audit_of_failures ON audit (tenant, outcome, seq) WHERE outcome <> 'SUCCESS';
