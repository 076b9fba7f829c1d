-- Less to write for every change, and less to keep. A table with short rows lies in its key (WITHOUT ROWID): one b-tree
-- instead of two. One with texts does not: rows of more than a kilobyte would spill over.
-- `unhex` is ours (migrate.py): this SQLite may have none.

CREATE TABLE short_counters (
    tenant TEXT NOT NULL,
    scope TEXT NOT NULL,
    name TEXT NOT NULL,
    value BIGINT NOT NULL,
    PRIMARY KEY (tenant, scope, name)
) WITHOUT ROWID;
INSERT INTO short_counters SELECT tenant, scope, name, value FROM counters WHERE scope <> '' OR name <> 'event';

CREATE TABLE short_note_tags (
    tenant TEXT NOT NULL,
    session_id TEXT NOT NULL,
    tag TEXT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (tenant, session_id, tag, number)
) WITHOUT ROWID;
INSERT INTO short_note_tags SELECT tenant, session_id, tag, number FROM note_tags ORDER BY 1, 2, 3, 4;
DROP TABLE note_tags;
ALTER TABLE short_note_tags RENAME TO note_tags;

CREATE TABLE short_message_counts (
    tenant TEXT NOT NULL,
    session_id TEXT NOT NULL,
    visibility TEXT NOT NULL,
    holder TEXT NOT NULL,
    value BIGINT NOT NULL,
    PRIMARY KEY (tenant, session_id, visibility, holder)
) WITHOUT ROWID;
INSERT INTO short_message_counts SELECT tenant, session_id, visibility, holder, value FROM message_counts;
DROP TABLE message_counts;
ALTER TABLE short_message_counts RENAME TO message_counts;

CREATE TABLE short_scratchpad_tags (
    tenant TEXT NOT NULL,
    pad BIGINT NOT NULL,
    tagged TEXT NOT NULL,
    tag TEXT NOT NULL,
    uses BIGINT NOT NULL,
    PRIMARY KEY (tenant, pad, tagged, tag)
) WITHOUT ROWID;
INSERT INTO short_scratchpad_tags SELECT tenant, pad, tagged, tag, uses FROM scratchpad_tags ORDER BY 1, 2, 3, 4;
DROP TABLE scratchpad_tags;
ALTER TABLE short_scratchpad_tags RENAME TO scratchpad_tags;
CREATE INDEX scratchpad_tags_by_tag ON scratchpad_tags (tenant, tagged, tag, pad);

-- `about` is the number of the note or message that an event tells of: its first characters, which listeners are
-- shown, are not kept twice. Older events have them in their payload.
CREATE TABLE short_events (
    tenant TEXT NOT NULL,
    seq BIGINT NOT NULL,
    session_id TEXT,
    kind TEXT NOT NULL,
    actor TEXT NOT NULL,
    actor_type TEXT NOT NULL,
    visibility TEXT NOT NULL,
    payload TEXT NOT NULL,
    about BIGINT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, seq)
) WITHOUT ROWID;
INSERT INTO short_events
    SELECT tenant, seq, session_id, kind, actor, actor_type, visibility, payload, NULL, created_at
    FROM events ORDER BY tenant, seq;
DROP TABLE events;
ALTER TABLE short_events RENAME TO events;
CREATE INDEX events_by_session ON events (tenant, session_id, seq);
CREATE INDEX events_by_actor ON events (tenant, session_id, actor, created_at);
CREATE INDEX events_of_reading ON events (created_at) WHERE kind = 'scratchpad/section_read';
CREATE INDEX events_of_no_session ON events (created_at) WHERE session_id IS NULL;

-- The digest before a record's is that of the record before it. What is not a digest stays as it is: it tells of a
-- record that was edited.
CREATE TABLE short_audit (
    tenant TEXT NOT NULL,
    seq BIGINT NOT NULL,
    event_type TEXT NOT NULL,
    operation TEXT NOT NULL,
    session_id TEXT,
    agent_id TEXT NOT NULL,
    agent_type TEXT NOT NULL,
    role TEXT NOT NULL,
    surface TEXT NOT NULL,
    object TEXT,
    outcome TEXT NOT NULL,
    arguments_digest BLOB,
    metadata TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (tenant, seq)
) WITHOUT ROWID;
INSERT INTO short_audit
    SELECT tenant, seq, event_type, operation, session_id, agent_id, agent_type, role, surface, object, outcome,
        unhex(arguments_digest), metadata, created_at, unhex(digest)
    FROM audit ORDER BY tenant, seq;
DROP TABLE audit;
ALTER TABLE short_audit RENAME TO audit;

-- Which blocks of 64 records have a type, an agent, a session or a failure: filters read those blocks.
CREATE TABLE audit_blocks (
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    block BIGINT NOT NULL,
    PRIMARY KEY (tenant, name, value, block)
) WITHOUT ROWID;
INSERT INTO audit_blocks SELECT DISTINCT tenant, 'event_type', event_type, seq / 64 FROM audit;
INSERT INTO audit_blocks SELECT DISTINCT tenant, 'agent_id', agent_id, seq / 64 FROM audit;
INSERT INTO audit_blocks
    SELECT DISTINCT tenant, 'session_id', session_id, seq / 64 FROM audit WHERE session_id IS NOT NULL;
INSERT INTO audit_blocks SELECT DISTINCT tenant, 'outcome', outcome, seq / 64 FROM audit WHERE outcome <> 'SUCCESS';

-- The newest event and the newest audit record of a tenant: one row, as every write adds to both.
CREATE TABLE short_audit_heads (
    tenant TEXT NOT NULL PRIMARY KEY,
    seq BIGINT NOT NULL,
    digest BLOB NOT NULL,
    written_bytes BIGINT NOT NULL,
    event_seq BIGINT NOT NULL
) WITHOUT ROWID;
INSERT INTO short_audit_heads
    SELECT audit_heads.tenant, seq, unhex(digest), written_bytes, COALESCE(value, 0)
    FROM audit_heads LEFT JOIN counters
        ON counters.tenant = audit_heads.tenant AND counters.scope = '' AND counters.name = 'event';
DROP TABLE audit_heads;
ALTER TABLE short_audit_heads RENAME TO audit_heads;
DROP TABLE counters;
ALTER TABLE short_counters RENAME TO counters;

-- Without these, the planner takes a tenant for a handful of rows and reads all of its events, rather than use the index
-- of a session: total rows, then how many have the same first column of the index, the same first two, and so on.
ANALYZE sqlite_schema;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('events', 'events', '1000000 100000 1'),
    ('events', 'events_by_session', '1000000 100000 1000 1 noskipscan'),
    ('events', 'events_by_actor', '1000000 100000 1000 200 1 noskipscan'),
    ('events', 'events_of_reading', '1000 10'),
    ('events', 'events_of_no_session', '100000 10'),
    ('scratchpad_tags', 'scratchpad_tags', '100000 10000 10 5 1'),
    ('scratchpad_tags', 'scratchpad_tags_by_tag', '100000 10000 5000 50 1');
ANALYZE sqlite_schema;
