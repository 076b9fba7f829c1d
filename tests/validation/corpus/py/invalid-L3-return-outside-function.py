values = [1, 2, 3]
if not values:
    return None
print(values)
