SELECT department, count(*)
FROM employees
GROUP department;
