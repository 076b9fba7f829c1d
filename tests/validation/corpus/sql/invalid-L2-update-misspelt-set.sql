UPDATE users
STE name = 'x'
WHERE id = 1;
