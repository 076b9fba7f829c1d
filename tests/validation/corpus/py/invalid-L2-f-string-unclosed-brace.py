name = "Ada"
print(f"hello {name")
print("done")
