SELECT u.id, latest.title, tags[1:2], ARRAY[1, 2, 3] || 4
FROM users u
CROSS JOIN LATERAL (
    SELECT title FROM posts p WHERE p.user_id = u.id ORDER BY created_at DESC FETCH FIRST 1 ROW ONLY
) AS latest
WHERE tags && ARRAY['a', 'b']::text[]
  AND created_at > now() - INTERVAL '1 day'
  AND 3 = ANY (scores)
GROUP BY GROUPING SETS ((u.id), ()), latest.title, tags;
