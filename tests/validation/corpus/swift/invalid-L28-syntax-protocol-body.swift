import RegexBuilder

@attached(member, names: named(init), arbitrary)
@attached(extension, conformances: Equatable)
public macro AutoInit(_ access: String = "public") = #externalMacro(module: "M", type: "T")

@freestanding(expression) macro stringify<T>(_ v: T) -> (T, String) = #externalMacro(module: "M", type: "S")

struct Matrix<let rows: Int, Element>: ~Copyable {
    @inlinable consuming func take() -> Int { 1 }
    borrowing func peek() { }
    deinit { }
}

@resultBuilder
enum ListBuilder {
    static func buildBlock<each T>(_ parts: repeat each T) -> (repeat each T) { (repeat each parts) }
    static func buildOptional(_ p: [Int]?) -> [Int] { p ?? [] }
}

@propertyWrapper
struct Clamped<Value: Comparable> {
    var wrappedValue: Value { didSet { wrappedValue = min(max(wrappedValue, range.lowerBound), range.upperBound) } }
    let range: ClosedRange<Value>
    var projectedValue: Self { self }
}

extension Array where Element = Int {
    func sum() -> Element { reduce(0, +) }
    static func <> (lhs: Self, rhs: Self) -> Bool { lhs != rhs }
}
infix operator <>: ComparisonPrecedence
prefix operator √
prefix func √ (x: Double) -> Double { x.squareRoot() }

func classify(_ n: Int?, using block: ((Int) throws -> Bool)? = nil) -> String {
    let kind = switch n {
        case nil: "none"
        case let x? where x < 0: "negative"
        case 0, 1: "small"
        case 2...9: "digit"
        case .some(let x) where x.isMultiple(of: 2): "even"
        default: "other"
    }
    let sign = if let n { n > 0 ? "+" : "-" } else { "?" }
    let date = #/(?<year>\d{4})-(?<month>\d{2})/#
    let simple = /[a-z]+\s*(\d+)/
    let raw = #"no \n escape "quoted" \#(sign)"#
    let multi = """
        Dear \(kind),
          "quoted" \
          joined
        """
    if case .some(let x) = n, x > 3, #available(iOS 17, macOS 14, *) { print(x) }
    guard #unavailable(iOS 15) else { fatalError() }
    let f: @convention(block) (inout Int, Int...) -> Void = { $0 += $1 }
    let kp = \Person.address?.street[0].count
    let t: (x: Int, y: Int) = (1, y: 2)
    var (a, b) = (1, 2); swap(&a, &b)
    outer: for i in stride(from: 0, to: 10, by: 2) { while true { repeat { continue outer } while false } }
    let d = ["a": [1, 2], "b": []] as [String: [Int]]
    let closure = { (x: Int, y: Int) -> Int in return x &+ y << 2 }
    let v = try? block?(1) ?? false; let w = n! as! Int as Any is String
    [1, 2].map { $0 * 2 }.filter { x in x > 1 }.forEach { print($0, terminator: "") }
    UIView.animate(withDuration: 0.3) { self.a = 1 } completion: { _ in done() }
    #if os(iOS) && !DEBUG || swift(>=5.9)
    print("ios")
    #elseif canImport(AppKit)
    print("mac")
    #endif
    let nums = 0xFF + 0b1010 + 0o17 + 1_000.5e-3 + Int(0x1p4)
    let e = (a ... b).contains(3) && !(..<5 ~= a) || a === b
    _ = nums; return kind + sign
}

#Preview("Dark") { ContentView().environment(\.colorScheme, .dark) }
