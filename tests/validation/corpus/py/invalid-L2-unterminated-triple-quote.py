import os
query = """SELECT *
FROM users
WHERE id = 1

print(os.name, query)
