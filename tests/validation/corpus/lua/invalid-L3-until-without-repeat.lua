local n = 3
n = n - 1
until n == 0
print(n)
