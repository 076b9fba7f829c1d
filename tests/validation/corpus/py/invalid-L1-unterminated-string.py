name = "Ada
print(name)
x = 1
