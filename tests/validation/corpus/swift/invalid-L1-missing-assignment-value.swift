let limit: Int =
let other = 3
print(other)
