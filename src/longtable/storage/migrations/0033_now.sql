-- Who does what now, found without reading the log of large sessions.

-- The changes of tasks in the last hours.
CREATE INDEX events_of_tasks ON events (tenant, created_at, seq) WHERE kind = 'scratchpad/checklist_updated';

-- The tasks that somebody works on, and the questions that were answered in the last hours.
CREATE INDEX tasks_in_progress ON tasks (tenant, session_id, updated_at) WHERE status = 'in_progress';
CREATE INDEX questions_by_answer ON questions (tenant, answered_at) WHERE status = 'answered';
