SELECT upper(trim(name) AS n
FROM users
WHERE id = 1;
