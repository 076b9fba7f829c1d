actor Counter {
    private var value = 0
    func increment() -> Int { value += 1; return value }
    nonisolated let name = "counter"
}

@MainActor
final class Model: Sendable {
    func load(_ urls: [String]) async throws -> [Int] {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for url in urls { group.addTask { url.count } }
            var out: [Int] = []
            for try await n in group { out.append(n) }
            return out
        }
    }
}

func fetch() async throws(FetchError) -> String {
    async let a = Counter().increment()
    _ = await a
    throw .missing
}
enum FetchError: Error { case missing, other(code: Int) }
