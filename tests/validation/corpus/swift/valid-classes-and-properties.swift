class Base {
    weak var delegate: AnyObject?
    lazy var cache: [String: Int] = { [:] }()
    var count = 0 {
        willSet { print(newValue) }
        didSet { if count != oldValue { changed() } }
    }
    private var stored = 1
    var doubled: Int {
        get { stored * 2 }
        set { stored = newValue / 2 }
    }
    required init(count: Int = 0) { self.count = count }
    convenience init?(text: String) { guard let n = Int(text) else { return nil }; self.init(count: n) }
    deinit { print("gone") }
    func changed() {}
    class func build() -> Base { .init() }
    subscript(key: String) -> Int? { cache[key] }
}
final class Derived: Base { override func changed() { super.changed() } }
