protocol Container<Item> {
    associatedtype Item: Equatable
    var count: Int { get }
    subscript(i: Int) -> Item { get set }
    mutating func append(_ item: Item)
    static func make() -> Self
}

extension Container where Item: Comparable {
    func largest() -> Item? { (0..<count).map { self[$0] }.max() }
}

func total<C: Container>(_ c: C) -> Int where C.Item == Int { c.count }
func show(_ items: some Sequence<Int>, other: any Error) -> some CustomStringConvertible { "\(items)" }
struct Stack<Element> { private(set) var items: [Element] = [] }
