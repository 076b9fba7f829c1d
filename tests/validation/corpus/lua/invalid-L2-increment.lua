local n = 0
n++
print(n)
