total = 0
for i in range(3):
    5 = total
print(total)
