-- What came out of an export of another store, or of another program. `origin` names where a row was made, as its file
-- told it; null for one that was made here.
ALTER TABLE sessions ADD COLUMN origin TEXT;
ALTER TABLE sessions ADD COLUMN imported_at BIGINT;
ALTER TABLE sessions ADD COLUMN imported_by TEXT;
ALTER TABLE notes ADD COLUMN origin TEXT;
ALTER TABLE sections ADD COLUMN origin TEXT;
ALTER TABLE section_versions ADD COLUMN origin TEXT;
ALTER TABLE tasks ADD COLUMN origin TEXT;
ALTER TABLE task_notes ADD COLUMN origin TEXT;
ALTER TABLE messages ADD COLUMN origin TEXT;
ALTER TABLE scratchpads ADD COLUMN origin TEXT;
ALTER TABLE scratchpads ADD COLUMN imported_at BIGINT;

-- An answer that was given elsewhere is never one of a person here: `by_human` stays 0, and `told_by_human` keeps what
-- its file says.
ALTER TABLE questions ADD COLUMN origin TEXT;
ALTER TABLE questions ADD COLUMN answer_origin TEXT;
ALTER TABLE questions ADD COLUMN told_by_human BIGINT NOT NULL DEFAULT 0;

-- Events, decisions and audit records of elsewhere, as JSON: read by nobody but the next export, and no part of the log.
-- `owner` is what they belong to: `session:` and its id, or `pad:` and its number.
CREATE TABLE imported_records (
    tenant TEXT NOT NULL,
    owner TEXT NOT NULL,
    number BIGINT NOT NULL,
    kind TEXT NOT NULL,
    origin TEXT NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (tenant, owner, number)
);
