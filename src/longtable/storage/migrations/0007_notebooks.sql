-- Notebooks. `pad` numbers one life of a scratchpad: after a reset or a deletion the id may live again while the old
-- life waits in the trash, whole. At most one life of an id is out of the trash.
CREATE TABLE scratchpads (
    tenant TEXT NOT NULL,
    pad BIGINT NOT NULL,
    scratch_id TEXT NOT NULL,
    title TEXT,
    description TEXT,
    summary TEXT,
    namespace TEXT,
    tags TEXT NOT NULL,
    metadata TEXT NOT NULL,
    pinned INTEGER NOT NULL,
    version BIGINT NOT NULL,
    cell_count BIGINT NOT NULL,
    schema_count BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    accessed_at BIGINT NOT NULL,
    trashed_at BIGINT,
    trashed_by TEXT,
    trash_reason TEXT,
    indexed INTEGER NOT NULL,
    PRIMARY KEY (tenant, pad)
);
CREATE UNIQUE INDEX scratchpads_alive ON scratchpads (tenant, scratch_id) WHERE trashed_at IS NULL;
CREATE INDEX scratchpads_by_namespace ON scratchpads (tenant, namespace, scratch_id) WHERE trashed_at IS NULL;
CREATE INDEX scratchpads_by_access ON scratchpads (tenant, accessed_at, created_at, pad)
    WHERE trashed_at IS NULL AND pinned = 0;
CREATE INDEX scratchpads_in_trash ON scratchpads (tenant, trashed_at, pad) WHERE trashed_at IS NOT NULL;
-- What the full-text index has yet to forget: looked for every minute, and almost always nothing.
CREATE INDEX scratchpads_to_forget ON scratchpads (tenant, pad) WHERE trashed_at IS NOT NULL AND indexed = 1;

-- A cell without its text, so that moving cells about and listing them never touches the texts.
CREATE TABLE cells (
    tenant TEXT NOT NULL,
    cell_id TEXT NOT NULL,
    pad BIGINT NOT NULL,
    position BIGINT NOT NULL,
    language TEXT NOT NULL,
    tags TEXT NOT NULL,
    metadata TEXT NOT NULL,
    validate INTEGER NOT NULL,
    has_schema INTEGER NOT NULL,
    version BIGINT NOT NULL,
    preview TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, cell_id)
);
CREATE INDEX cells_in_order ON cells (tenant, pad, position);
CREATE TABLE cell_texts (
    tenant TEXT NOT NULL,
    cell_id TEXT NOT NULL,
    content TEXT NOT NULL,
    json_schema TEXT,
    PRIMARY KEY (tenant, cell_id)
);

-- Which tags a scratchpad has: its own (`tagged` = 'pad', once) and those of its cells, with how many cells have each.
CREATE TABLE scratchpad_tags (
    tenant TEXT NOT NULL,
    pad BIGINT NOT NULL,
    tagged TEXT NOT NULL,
    tag TEXT NOT NULL,
    uses BIGINT NOT NULL,
    PRIMARY KEY (tenant, pad, tagged, tag)
);
CREATE INDEX scratchpad_tags_by_tag ON scratchpad_tags (tenant, tagged, tag, pad);

CREATE TABLE scratchpad_schemas (
    tenant TEXT NOT NULL,
    pad BIGINT NOT NULL,
    schema_id TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    document TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, pad, schema_id)
);
CREATE UNIQUE INDEX scratchpad_schemas_by_name ON scratchpad_schemas (tenant, pad, name);

-- `scratchpads` counts those in it that are out of the trash.
CREATE TABLE namespaces (
    tenant TEXT NOT NULL,
    namespace TEXT NOT NULL,
    scratchpads BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, namespace)
);

-- What narrows a search to one tenant inside the index: not its name, so that it stays when the tenant is renamed.
CREATE TABLE search_scopes (
    tenant TEXT NOT NULL PRIMARY KEY,
    scope TEXT NOT NULL
);

-- For forgetting what belonged to no session.
CREATE INDEX events_of_no_session ON events (created_at) WHERE session_id IS NULL;
