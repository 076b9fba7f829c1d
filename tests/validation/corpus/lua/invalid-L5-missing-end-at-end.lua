local function greet(name)
  if name then
    print("hello " .. name)

greet("x")
