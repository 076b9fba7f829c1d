-- A private message may be for one agent beside its sender. `control` is set where a person asks that agent to pause, to
-- resume or to stop; `acknowledged_at` is when the agent has learnt of it.
ALTER TABLE messages ADD COLUMN addressee TEXT;
ALTER TABLE messages ADD COLUMN control TEXT;
ALTER TABLE messages ADD COLUMN acknowledged_at BIGINT;
CREATE INDEX messages_of_control ON messages (tenant, session_id, addressee, number) WHERE control IS NOT NULL;

ALTER TABLE events ADD COLUMN addressee TEXT;
