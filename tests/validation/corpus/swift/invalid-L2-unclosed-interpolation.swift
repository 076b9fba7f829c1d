let n = 3
print("value \(n + 1")
let m = 4
