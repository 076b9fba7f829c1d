-- What the newest answer to an agent has shown it, until its next call confirms that the answer arrived: the place it
-- would bring the agent to, when it was sent, over which connection of the protocol ('' where there is none), and by
-- which process.
ALTER TABLE inbox_cursors ADD COLUMN offered_message BIGINT NOT NULL DEFAULT 0;
ALTER TABLE inbox_cursors ADD COLUMN offered_answered_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE inbox_cursors ADD COLUMN offered_event BIGINT NOT NULL DEFAULT 0;
ALTER TABLE inbox_cursors ADD COLUMN offered_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE inbox_cursors ADD COLUMN offered_to TEXT NOT NULL DEFAULT '';
ALTER TABLE inbox_cursors ADD COLUMN offered_by TEXT NOT NULL DEFAULT '';

-- Pending questions by the end of their time.
CREATE INDEX questions_by_expiry ON questions (expires_at) WHERE status = 'pending' AND expires_at IS NOT NULL;
