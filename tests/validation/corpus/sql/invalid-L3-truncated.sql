SELECT u.name, count(*)
FROM users u
LEFT JOIN orders o ON o.user_id =
