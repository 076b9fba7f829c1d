local a = 1
--[[ the rest
print(a)
