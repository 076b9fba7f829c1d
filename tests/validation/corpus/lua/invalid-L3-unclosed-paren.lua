local x = 1
print("value: " .. tostring(x)
local y = 2
