SELECT name
/* only adults
FROM users
WHERE age > 18;
