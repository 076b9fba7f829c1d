SELECT
    first || ' ' || last AS name,
    CASE WHEN age < 18 THEN 'minor' ELSE 'adult' AS grp
FROM users
WHERE email ~* 'x';
