local Account = {}
Account.__index = Account
Account.__close = function(self, err) self:log(("closed %s"):format(err or "ok")) end

local LIMIT <const> = 1000
local registry = setmetatable({}, { __mode = "k" })

--- Creates an account.
---@param owner string
function Account.new(owner, balance)
  local self <close> = nil
  local t = setmetatable({ owner = owner, balance = balance or 0, ["max limit"] = LIMIT; log = {} }, Account)
  registry[t] = true
  return t
end

function Account:deposit(amount, ...)
  local extra = select("#", ...)
  if amount <= 0 then
    error({ code = 400, message = "bad amount" }, 2)
  elseif amount > LIMIT and extra == 0 then
    return nil, "too much"
  else
    self.balance = self.balance + amount // 1 | 0
  end
  return self
end

function Account.static.deep:method(a, b) return a ~= b, a ~ b, ~a, #b, not a, -a ^ 2 end

for i = 10, 1, -1 do
  for k, v in pairs(registry) do
    if k == i then goto continue end
    print(k, v, i)
    ::continue::
  end
end

repeat local done = LIMIT > 5 until done
while true do break end
do local x <const>, y = 1, 2; print(x .. y, x << 2 >> 1 & y) end
return Account
