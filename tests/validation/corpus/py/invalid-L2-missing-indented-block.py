def greet(name):
print("hello", name)


greet("Ada")
