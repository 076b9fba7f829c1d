SELEC name, age
FROM users
WHERE age > 18;
