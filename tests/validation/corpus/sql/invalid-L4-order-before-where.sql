SELECT name
FROM users
ORDER BY name
WHERE age > 18;
