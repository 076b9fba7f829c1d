outer: for i in stride(from: 10, to: 0, by: -2) where i != 4 {
    var n = i
    while n > 0 {
        n -= 1
        if n == 2 { continue outer }
        if n == 99 { break outer }
    }
    repeat { n += 1 } while n < 2
}
let grade = 87
switch grade {
case let g where g < 0: print(g)
case 90...: print("A")
case 80..<90, 100: print("B"); fallthrough
default: break
}
for case let (index, value?) in [1, nil, 3].enumerated() { print(index, value) }
defer { print("end") }
let kind = if grade > 50 { "pass" } else { "fail" }
