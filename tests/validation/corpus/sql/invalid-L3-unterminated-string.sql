SELECT name
FROM users
WHERE name = 'Ada;
