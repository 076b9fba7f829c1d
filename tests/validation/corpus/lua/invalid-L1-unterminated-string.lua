local name = "Ada
print(name)
local x = 1
