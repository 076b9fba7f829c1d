func parse(_ text: String?) -> Int? {
    guard let text, !text.isEmpty else { return nil }
    if let n = Int(text), n > 0 {
        return n
    } else if case let .some(first) = text.first, first == "-" {
        return -1
    }
    let fallback = text.count > 3 ? 1 : 0
    return Int(text.dropFirst()) ?? fallback
}

let value = parse("42")!
let length = [1: "a"][1]?.count ?? 0
print(value, length as Any)
