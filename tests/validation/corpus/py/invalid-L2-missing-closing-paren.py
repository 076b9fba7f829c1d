prices = [3, 5, 8]
total = sum(p * 2 for p in prices
print(total)
