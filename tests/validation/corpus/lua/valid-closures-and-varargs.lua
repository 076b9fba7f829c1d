local function counter(start)
  local n = start or 0
  return function(step) n = n + (step or 1) return n end
end
local function sum(...)
  local total = 0
  for _, v in ipairs({ ... }) do total = total + v end
  return total
end
local next_id = counter(5)
print(next_id(), next_id(2), sum(1, 2, table.unpack { 3, 4 }))
print(("x"):rep(3), #{ ... }, type(print) == "function" and "yes" or "no")
