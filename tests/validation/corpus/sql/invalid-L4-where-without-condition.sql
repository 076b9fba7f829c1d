SELECT name
FROM users
WHERE
ORDER BY name;
