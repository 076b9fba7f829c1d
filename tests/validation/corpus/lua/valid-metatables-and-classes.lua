local Account = {}
Account.__index = Account

function Account.new(balance)
  return setmetatable({ balance = balance or 0 }, Account)
end

function Account:deposit(amount)
  assert(amount > 0, "amount must be positive")
  self.balance = self.balance + amount
  return self
end

local a = Account.new(10):deposit(5)
print(a.balance, #"text", not nil)
