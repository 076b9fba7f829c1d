-- Whether only a person may answer.
ALTER TABLE questions ADD COLUMN require_human INTEGER NOT NULL DEFAULT 0;

-- How an agent's name was first spelled: `folded` is what names are compared by.
CREATE TABLE agent_names (
    tenant TEXT NOT NULL,
    folded TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (tenant, folded)
);

-- A store in which nobody has done anything has no earlier spellings to look for.
INSERT INTO facts (name, value) SELECT 'agent_names', 'kept' WHERE NOT EXISTS (SELECT 1 FROM audit);
