-- Whether only a person may answer.
ALTER TABLE questions ADD COLUMN require_human INTEGER NOT NULL DEFAULT 0;
