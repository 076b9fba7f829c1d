SELECT name, age
FORM users
WHERE age > 18;
