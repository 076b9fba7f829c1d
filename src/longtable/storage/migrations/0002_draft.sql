-- The draft: a row for each section as it stands, and every version that it ever had.
CREATE TABLE sections (
    tenant TEXT NOT NULL,
    session_id TEXT NOT NULL,
    section_id TEXT NOT NULL,
    title TEXT NOT NULL,
    position BIGINT NOT NULL,
    version BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    author TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, session_id, section_id)
);
CREATE TABLE section_versions (
    tenant TEXT NOT NULL,
    session_id TEXT NOT NULL,
    section_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    title TEXT NOT NULL,
    content TEXT NOT NULL,
    author TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, session_id, section_id, version)
);

-- That somebody has read a section is told for an hour: this finds what is older without looking at all the rest.
CREATE INDEX events_of_reading ON events (created_at) WHERE kind = 'scratchpad/section_read';
