SELECT u.name
FROM users u
JOIN ON u.id = 1;
