SELECT name,
       CASE WHEN age < 18 THEN 'minor' ELSE 'adult'
FROM users;
