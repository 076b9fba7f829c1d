WITH RECURSIVE tree (id, parent, path, depth) AS (
    SELECT id, parent_id, ARRAY[id], 1 FROM nodes WHERE parent_id IS NULL
    UNION ALL
    SELECT n.id, n.parent_id, t.path || n.id, t.depth + 1
    FROM nodes AS n
    JOIN tree AS t ON n.parent_id = t.id
    WHERE NOT n.id = ANY (t.path)
), moved AS MATERIALIZED (
    DELETE FROM queue USING locks l WHERE l.id = queue.id RETURNING queue.*
)
SELECT DISTINCT ON (t.id)
    t.id,
    meta->'a'->>'b' AS b,
    meta #>> '{x,0,y}' AS y,
    meta @> '{"k": [1]}' AS has,
    meta ? 'key' AS k,
    meta ?| array['a', 'b'] AS any_key,
    jsonb_path_query_first(meta, '$.items[*] ? (@.price > 10)') AS item,
    count(*) FILTER (WHERE depth > 2) OVER w AS deep,
    row_number() OVER (PARTITION BY t.parent ORDER BY t.depth DESC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE TIES) AS rn,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY x) AS med,
    string_agg(DISTINCT name, ', ' ORDER BY name) AS names,
    CASE WHEN a IS DISTINCT FROM b THEN 1 ELSE NULLIF(c, 0) END AS c,
    (ROW(1, 2)).f1, path[1:2], '2024-01-01'::date + interval '1 day' AT TIME ZONE 'UTC',
    EXTRACT(epoch FROM now()), CAST(x AS numeric(10,2)), x::text COLLATE "C", $1, :name
FROM tree t
LEFT JOIN LATERAL (SELECT * FROM events e WHERE e.node_id = t.id ORDER BY e.at DESC LIMIT 3) e ON true
CROSS JOIN generate_series(1, 3) WITH ORDINALITY AS g (n, ord)
NATURAL JOIN other
FULL OUTER JOIN z USING (id, x)
WHERE (a, b) IN (SELECT 1, 2) AND c BETWEEN SYMMETRIC 1 AND 2 AND name ILIKE '%x%' ESCAPE '!' AND d SIMILAR TO '(a|b)%'
  AND EXISTS (SELECT FROM moved) AND tsv @@ to_tsquery('a & b') AND p <-> point '(1,1)' < 3
GROUP BY GROUPING SETS ((a), (b, c), ()), ROLLUP (d), CUBE (e, f)
HAVING sum(x) > 0
WINDOW w AS (PARTITION BY parent), w2 AS (w ORDER BY id)
ORDER BY 1, t.id DESC USING > NULLS FIRST
OFFSET 5 ROWS FETCH FIRST 10 ROWS WITH TIES
FOR NO KEY UPDATE OF t SKIP LOCKED;
