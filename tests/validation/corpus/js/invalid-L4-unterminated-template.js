const rows = [1, 2];
console.log(rows);

const query = `SELECT *
  FROM users
  WHERE id = 1;
console.log(query);
