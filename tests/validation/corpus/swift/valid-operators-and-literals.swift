infix operator **: MultiplicationPrecedence
precedencegroup Low { higherThan: AssignmentPrecedence }

func ** (base: Int, power: Int) -> Int { (0..<power).reduce(1) { r, _ in r * base } }
prefix func ! (x: Int) -> Bool { x == 0 }

let big = 1_000_000, hex = 0xFF, bin = 0b1010, oct = 0o17, flt = 1.5e-3
let bits = (hex & 0x0F) | ~bin << 2 ^ 1
let pair = (name: "a", age: 1)
let (first, _) = (pair.name, pair.age)
let dict: [String: [Int]] = ["a": [1, 2], "b": [],]
let t = big > 1 && !(bits == 2) || 2 ** 3 != 8
let same = dict as AnyObject === dict as AnyObject
