SELECT name FROM users
WHERE age > 18
WHERE active = true;
