let name = "Ada
print(name)
let x = 1
