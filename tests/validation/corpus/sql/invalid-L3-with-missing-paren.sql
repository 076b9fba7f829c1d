WITH adults AS (
    SELECT * FROM users WHERE age > 18
SELECT count(*) FROM adults;
