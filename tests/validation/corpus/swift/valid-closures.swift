let numbers = [3, 1, 2]
let sorted = numbers.sorted { $0 > $1 }
let doubled = numbers.map { n in n * 2 }
let sum = numbers.reduce(into: 0) { (total: inout Int, n: Int) -> Void in total += n }
let make: (Int) -> () -> Int = { start in
    var n = start
    return { n += 1; return n }
}
numbers.filter({ $0 % 2 == 1 }).forEach { print($0) }
func run(_ body: () throws -> Void, onError: (Error) -> Void) { do { try body() } catch { onError(error) } }
run {
    print(sorted, doubled, sum, make(1)())
} onError: { error in
    print(error)
}
