def half(x):
    retrun x / 2


print(half(4))
