SELECT id, name, FORM users
WHERE id = 1;
