-- What a playbook will call, as the person who decides is shown it; null for other calls. `relayed` is 1 where the word
-- came through the client of the agent that asked, so that nobody knows whether it was a person's.
ALTER TABLE decisions ADD COLUMN steps TEXT;
ALTER TABLE decisions ADD COLUMN relayed BIGINT NOT NULL DEFAULT 0;
