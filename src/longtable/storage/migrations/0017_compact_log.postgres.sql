-- Less to write for every change, and less to keep.
SET LOCAL longtable.tenant = '*';

-- `about` is the number of the note or message that an event tells of: its first characters, which listeners are
-- shown, are not kept twice. Older events have them in their payload.
ALTER TABLE events ADD COLUMN about BIGINT;

-- Which blocks of 64 records have a type, an agent, a session or a failure: filters read those blocks.
CREATE TABLE audit_blocks (
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    block BIGINT NOT NULL,
    PRIMARY KEY (tenant, name, value, block)
);
INSERT INTO audit_blocks SELECT DISTINCT tenant, 'event_type', event_type, seq / 64 FROM audit;
INSERT INTO audit_blocks SELECT DISTINCT tenant, 'agent_id', agent_id, seq / 64 FROM audit;
INSERT INTO audit_blocks
    SELECT DISTINCT tenant, 'session_id', session_id, seq / 64 FROM audit WHERE session_id IS NOT NULL;
INSERT INTO audit_blocks SELECT DISTINCT tenant, 'outcome', outcome, seq / 64 FROM audit WHERE outcome <> 'SUCCESS';
ALTER TABLE audit_blocks ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_blocks FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON audit_blocks USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
DROP INDEX audit_by_type;
DROP INDEX audit_by_agent;
DROP INDEX audit_by_session;
DROP INDEX audit_of_failures;

-- The digest before a record's is that of the record before it. What is not a digest is kept as its bytes: it tells of a
-- record that was edited.
ALTER TABLE audit
    DROP COLUMN previous,
    ALTER COLUMN arguments_digest TYPE BYTEA USING CASE WHEN arguments_digest ~ '^[0-9a-f]{64}$'
        THEN decode(arguments_digest, 'hex') ELSE convert_to(arguments_digest, 'UTF8') END,
    ALTER COLUMN digest TYPE BYTEA USING CASE WHEN digest ~ '^[0-9a-f]{64}$'
        THEN decode(digest, 'hex') ELSE convert_to(digest, 'UTF8') END;

-- The newest event and the newest audit record of a tenant: one row, as every write adds to both.
ALTER TABLE audit_heads
    ALTER COLUMN digest TYPE BYTEA USING CASE WHEN digest ~ '^[0-9a-f]{64}$'
        THEN decode(digest, 'hex') ELSE convert_to(digest, 'UTF8') END,
    ADD COLUMN event_seq BIGINT NOT NULL DEFAULT 0;
UPDATE audit_heads SET event_seq = counters.value FROM counters
    WHERE counters.tenant = audit_heads.tenant AND counters.scope = '' AND counters.name = 'event';
DELETE FROM counters WHERE scope = '' AND name = 'event';
