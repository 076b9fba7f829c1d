local t = {
  a = 1,
  b = 2
print(t.a)
