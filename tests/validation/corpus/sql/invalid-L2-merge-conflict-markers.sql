SELECT name
<<<<<<< HEAD
FROM users
=======
FROM people
>>>>>>> main
WHERE id = 1;
