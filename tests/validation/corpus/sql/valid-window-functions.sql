SELECT
    department,
    name,
    salary,
    rank() OVER (PARTITION BY department ORDER BY salary DESC) AS position,
    sum(salary) OVER w AS running
FROM employees
WINDOW w AS (PARTITION BY department ORDER BY hired ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW);
