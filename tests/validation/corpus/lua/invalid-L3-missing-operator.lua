local a, b = 1, 2
local c = a b
print(c)
