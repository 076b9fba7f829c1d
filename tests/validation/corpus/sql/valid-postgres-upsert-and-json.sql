INSERT INTO settings (key, value)
VALUES ('theme', '{"dark": true, "it''s": [1, 2]}'::jsonb)
ON CONFLICT (key) DO UPDATE
    SET value = EXCLUDED.value, updated_at = now()
    WHERE settings.value IS DISTINCT FROM EXCLUDED.value
RETURNING key, value ->> 'dark' AS dark, value #> '{a,b}';
