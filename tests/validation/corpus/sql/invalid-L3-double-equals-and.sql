SELECT name
FROM users
WHERE age > 18 AND AND active;
