-- a comment: ( ' "
/* a block comment
   with ; and ' */
SELECT 'größe 日本語 🎉' AS "Spalte mit Leerzeichen", 1 AS größe -- end )
FROM (VALUES (1, 'a;b'), (2, 'c')) AS t (id, label)
WHERE t.label <> '--';
