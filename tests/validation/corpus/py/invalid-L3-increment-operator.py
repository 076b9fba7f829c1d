count = 0
while count < 3:
    count++
print(count)
