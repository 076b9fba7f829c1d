SELECT name,,
       age
FROM users;
