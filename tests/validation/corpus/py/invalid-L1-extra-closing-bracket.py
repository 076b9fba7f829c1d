data = {"a": [1, 2, 3]]}
for k in data:
    print(k)
