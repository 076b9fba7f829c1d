count = 3
    total = count * 2
print(total)
