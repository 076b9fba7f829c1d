UPDATE users
SET name = , age = 3
WHERE id = 1;
