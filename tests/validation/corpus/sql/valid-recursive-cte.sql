WITH RECURSIVE tree (id, parent_id, depth) AS (
    SELECT id, parent_id, 0 FROM nodes WHERE parent_id IS NULL
    UNION ALL
    SELECT n.id, n.parent_id, t.depth + 1
    FROM nodes AS n
    JOIN tree AS t ON n.parent_id = t.id
)
SELECT * FROM tree ORDER BY depth, id LIMIT 10 OFFSET 5;
