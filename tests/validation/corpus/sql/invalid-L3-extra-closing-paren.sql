SELECT name
FROM users
WHERE (age > 18));
