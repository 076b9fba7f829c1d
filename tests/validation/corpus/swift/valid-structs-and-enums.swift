import Foundation

enum Shape: Equatable {
    case circle(radius: Double)
    case rectangle(width: Double, height: Double)
    indirect case group([Shape])

    var area: Double {
        switch self {
        case .circle(let r): return .pi * r * r
        case let .rectangle(w, h) where w > 0: return w * h
        case .rectangle: return 0
        case .group(let shapes): return shapes.map(\.area).reduce(0, +)
        }
    }
}

struct Point: Codable, Hashable {
    var x = 0.0, y: Double = 0
    static let zero = Point()
    mutating func move(by dx: Double, _ dy: Double = 0) { x += dx; y += dy }
}
