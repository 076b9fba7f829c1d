CREATE OR REPLACE VIEW active_users AS
SELECT id, name FROM users WHERE deleted_at IS NULL;

CREATE FUNCTION add(a integer, b integer) RETURNS integer
LANGUAGE sql IMMUTABLE
AS $$ SELECT a + b; $$;

ALTER TABLE users ADD COLUMN IF NOT EXISTS nick text, DROP COLUMN old;
GRANT SELECT ON active_users TO reader;
