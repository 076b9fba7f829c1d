import Foundation
@preconcurrency import Combine
import struct SwiftUI.Color

public protocol Store<Key, Value>: AnyObject, Sendable where Key: Hashable {
    associatedtype Key
    associatedtype Value: Codable = String
    var count: Int { get async throws }
    subscript(key: Key) -> Value? { get set }
    static func make(_: Int) -> Self
    mutating func reset()
    init?(path: String)
}

@globalActor
actor Database { static let shared = Database() }

actor Cache<K: Hashable & Sendable, V>: CustomStringConvertible {
    private var items: [K: V] = [:]
    private(set) var hits = 0, misses = 0
    nonisolated let id = UUID()
    nonisolated var description: String { "Cache(\(id))" }

    func value(for key: K, orElse make: @Sendable @escaping (_: K) async throws -> V) async rethrows -> V {
        if let hit = items[key] { hits += 1; return hit }
        misses += 1
        let made = try await make(key)
        items[key] = made
        return made
    }

    deinit { print("bye") }
}

enum NetError: Error, Equatable {
    case offline
    case status(code: Int, body: Data? = nil)
    indirect case wrapped(NetError)
}

@MainActor
final class Model: ObservableObject {
    @Published private(set) var state: State = .idle
    @AppStorage("n") var n = 1
    lazy var fmt: DateFormatter = { let f = DateFormatter(); f.dateStyle = .short; return f }()
    weak var delegate: (any AnyObject & Sendable)?

    func load(_ urls: [URL], limit: Int...) async throws(NetError) -> [some Collection<Int>] {
        try await withThrowingTaskGroup(of: (URL, Data).self) { group in
            for url in urls where url.scheme == "https" {
                group.addTask { [weak self, n = self.n] in
                    guard let self, n > 0 else { throw NetError.offline }
                    return (url, try await URLSession.shared.data(from: url).0)
                }
            }
            for try await (url, data) in group {
                print("\(url): \(data.count, format: .number) #\(#line)")
            }
        }
        async let a = f(), b = g()
        _ = await (a, b)
        defer { state = .done }
        do { try risky() } catch NetError.status(let code, _) where code >= 500 { throw .offline } catch is CancellationError { } catch { print(error) }
        return []
    }
}
