-- What an event has replaced, as JSON: with it, the state of a session at an earlier event is found again. Nobody is told
-- of it. Null for an event that adds something, or whose payload says enough.
ALTER TABLE events ADD COLUMN undo TEXT;

-- A session that began as a copy of another one: of which, and after which event of the tenant's log.
ALTER TABLE sessions ADD COLUMN forked_from TEXT;
ALTER TABLE sessions ADD COLUMN fork_seq BIGINT;

-- The last event of each tenant from before: up to it, nothing was kept of what was replaced.
INSERT INTO counters (tenant, scope, name, value)
    SELECT tenant, '', 'undo_after', event_seq FROM audit_heads WHERE event_seq > 0;
