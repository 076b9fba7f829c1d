local t = { 1, 2, 3 ]
print(t)
local x = 1
