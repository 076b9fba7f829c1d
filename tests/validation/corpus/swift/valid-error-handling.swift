enum ParseError: Error { case empty; case bad(line: Int) }

func read(_ s: String) throws -> Int {
    if s.isEmpty { throw ParseError.empty }
    return s.count
}

do {
    let n = try read("x")
    let m = try? read("")
    let k = try! read("y")
    print(n, m ?? 0, k)
} catch ParseError.bad(let line) where line > 3 {
    print("line \(line)")
} catch is ParseError {
    print("parse error")
} catch {
    print(error)
}
