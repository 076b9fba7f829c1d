local x = 1
fucntion add(a, b)
  return a + b
end
