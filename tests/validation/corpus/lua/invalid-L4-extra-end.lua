local function add(a, b)
  return a + b
end
end
print(add(1, 2))
