let x = max(1, 2]
print(x)
let y = 2
