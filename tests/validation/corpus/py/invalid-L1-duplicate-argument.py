def scale(x, y, x):
    return x * y


print(scale(1, 2, 3))
