local x = 1
local sql = [[SELECT *
FROM users
print(sql)
