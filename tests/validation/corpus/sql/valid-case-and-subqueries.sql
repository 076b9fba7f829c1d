SELECT name,
       CASE WHEN age < 18 THEN 'minor' WHEN age BETWEEN 18 AND 64 THEN 'adult' ELSE 'senior' END AS band,
       (SELECT count(*) FROM orders o WHERE o.user_id = u.id) AS orders,
       COALESCE(NULLIF(trim(nick), ''), 'none')
FROM users u
WHERE EXISTS (SELECT 1 FROM orders o WHERE o.user_id = u.id)
  AND id NOT IN (1, 2, 3)
  AND name NOT LIKE '%;%'
  AND (email IS NOT NULL OR phone IS NULL);
